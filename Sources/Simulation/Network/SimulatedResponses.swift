import Backend
import Basics
import FoundationEssentials
import Profiles

/// A client's reading of an answer: the dialect's work, done on values so that a simulation is
/// fast.
enum SimulatedResponses {
    static func refresh(_ answer: BackendResponse?, _ scenario: Scenario) -> RefreshResponse {
        switch answer {
        case .refreshIssued(let facts)?: .issued(tokens(facts, scenario))
        case .refreshRefused?: .refused(Refusal(status: 401, message: "invalid refresh token"))
        default: .failed(.clientFault(status: 400, message: nil))
        }
    }

    /// Reads a page that is no answer of the dialect's; `facts` are the tokens beside an error, or `nil`
    /// if it has none.
    static func refresh(
        _ page: WireResponse,
        for spent: RefreshToken,
        beside facts: IssuedFacts?,
        _ scenario: Scenario
    ) -> RefreshResponse {
        guard page.status != 401 else {
            return .refused(Refusal(status: 401, message: nil, isBare: true))
        }
        guard let facts, let refresh = facts.refresh, refresh != spent else {
            return .failed(failure(page))
        }
        return .refreshTokenOnly(
            RefreshSuccessor(
                refresh: refresh,
                evidence: refreshEvidence(facts, scenario),
                status: page.status
            )
        )
    }

    /// The dialect's reading and the other decisions: a documentation that promises a new refresh
    /// token may show an answer without one.
    static func refresh(
        _ page: WireResponse,
        for spent: RefreshToken,
        _ answer: BackendResponse?,
        in dialect: Dialect
    ) -> RefreshResponse {
        let read = dialect.readRefresh(page, hiding: KnownSecrets().adding([spent.secret]))
        guard case .issued(var issued) = read, issued.refresh == nil,
            case .refreshIssued(let facts)? = answer, let refresh = facts.refresh
        else { return read }
        issued.refresh = refresh
        if let seconds = dialect.lifetimes.refresh {
            issued.refreshEvidence.append(.documented(seconds: seconds))
        }
        return .issued(issued)
    }

    static func login(_ answer: BackendResponse?, _ scenario: Scenario) -> LoginResponse {
        switch answer {
        case .loginIssued(let facts)?: .issued(tokens(facts, scenario))
        case .loginRejected?: .rejected(status: 401, message: "wrong password")
        default: .failed(.clientFault(status: 400, message: nil))
        }
    }

    static func protected(_ answer: BackendResponse?) -> (ProtectedResponse, status: Int) {
        switch answer {
        case .protectedContent?: (.accepted, 200)
        case .unauthorized?: (.tokenRejected, 401)
        default: (.inconclusive(retryAfter: nil), 404)
        }
    }

    static func failure(_ page: WireResponse) -> ResponseFailure {
        switch page.status {
        case 200..<300: .undecodable(status: page.status, message: "an HTML page instead of JSON")
        case 300..<400, 400, 404, 405, 415, 422: .clientFault(status: page.status, message: nil)
        default: .transient(status: page.status, message: "busy", retryAfter: page.retryAfter)
        }
    }

    private static func tokens(_ facts: IssuedFacts, _ scenario: Scenario) -> IssuedTokens {
        IssuedTokens(
            access: facts.access,
            refresh: facts.refresh,
            accessEvidence: [evidence(facts.accessLifetime, facts, scenario)],
            refreshEvidence: refreshEvidence(facts, scenario),
            statements: PairStatements(subject: String(facts.user.id))
        )
    }

    private static func refreshEvidence(
        _ facts: IssuedFacts,
        _ scenario: Scenario
    ) -> [ExpiryEvidence] {
        facts.refresh == nil || !scenario.refreshIsStated
            ? [] : [evidence(facts.refreshLifetime, facts, scenario)]
    }

    private static func evidence(
        _ lifetime: Double,
        _ facts: IssuedFacts,
        _ scenario: Scenario
    ) -> ExpiryEvidence {
        let end = facts.issuedAt + lifetime
        switch scenario.evidence {
        case .lifetime: return .lifetime(seconds: lifetime)
        case .webToken: return .webToken(expiresAt: end, issuedAt: facts.issuedAt)
        case .timestamp: return .instant(Date(timeIntervalSince1970: end))
        }
    }
}
