import Basics
import FoundationEssentials
import Model
import Profiles

/// What an answer of a check says, as the dialect reads it.
struct ProbeAnswer {
    var outcome = ExchangeOutcome.accepted
    var tokens: IssuedTokens?
    var status: Int?
    var code: String?
    var message: String?
    var facts = ProbeAnswerFacts()

    var unclear: UnclearAnswer? {
        if case .unclear(let answer) = outcome { answer } else { nil }
    }

    /// The answer to an upgrade that has opened a socket.
    init() {}

    /// What the caller's login has brought, if it has brought something.
    init(_ tokens: IssuedTokens?, sentAt: Moment) {
        self.tokens = tokens
        guard tokens != nil else {
            outcome = .unclear(.notPossible)
            return
        }
        noteExpiries(sentAt)
        noteClaims()
        // How it was delivered is not known.
        facts.isUncacheable = true
    }

    init(
        _ result: Outcome<WireResponse>,
        of action: CheckAction,
        in dialect: Dialect,
        credentials: [String: Secret],
        hiding secrets: KnownSecrets,
        sentAt: Moment,
        endedAt: Moment
    ) {
        switch result {
        case .notSent(let cause): outcome = .unclear(cause.answer)
        case .unanswered(let detail): outcome = .unclear(.unanswered(detail: detail))
        case .answered(let response):
            status = response.status
            code = Self.errorCode(in: response)
            read(response, to: action, dialect, credentials, secrets)
            note(response, sentAt, endedAt)
            if case .refused(let text) = outcome { message = text }
        }
    }

    private mutating func read(
        _ response: WireResponse,
        to action: CheckAction,
        _ dialect: Dialect,
        _ credentials: [String: Secret],
        _ secrets: KnownSecrets
    ) {
        let all = secrets.adding(dialect.tokens(in: response))
        switch action {
        case .reach, .warm, .watch: break
        case .login, .loginWrong:
            switch dialect.readLogin(response, credentials: credentials, hiding: all) {
            case .issued(let issued): tokens = issued
            case .rejected(_, let message): outcome = .refused(message: message)
            case .authorizationPending, .authorizationEnded: outcome = .unclear(.notPossible)
            case .failed(let failure):
                outcome = .unclear(Self.unclear(failure, response))
                message = failure.text
            }
        case .refresh, .refreshTwice, .refreshUnread, .refreshWith:
            switch dialect.readRefresh(response, hiding: all) {
            case .issued(let issued): tokens = issued
            case .refused(let refusal):
                // A dialect may believe an empty body at once; a proxy sends such a body as well.
                outcome =
                    refusal.isBare || !response.hasObject
                    ? .unclear(.bareRefusal) : .refused(message: refusal.message)
            case .failed(let failure): outcome = Self.refreshFailure(failure, response)
            }
        case .use, .useWith:
            switch dialect.readProtected(response) {
            // With a good token, 409 or 422 is about the request; with a bad one, it may be about that.
            case .accepted where action.hasBadToken && response.status >= 400:
                outcome = .refused(message: nil)
            case .accepted, .listed: break
            case .tokenRejected: outcome = .refused(message: nil)
            case .inconclusive: outcome = .unclear(Self.unclear(response))
            }
        case .dial, .dialWith, .dialExpired:
            switch response.status {
            // What a proxy refuses says nothing of a valid token: it is asked again.
            case 408, 425, 429: outcome = .unclear(Self.unclear(response))
            case 400..<500:
                outcome = action.hasBadToken ? .refused(message: nil) : .unclear(.bareRefusal)
            default: outcome = .unclear(Self.unclear(response))
            }
        case .logout, .logoutUnknown:
            switch dialect.readLogout(response) {
            case .acknowledged: break
            case .tokenUnknown: outcome = .refused(message: nil)
            case .failed:
                let isRefusal = (400..<500).contains(response.status) && response.status != 429
                outcome =
                    isRefusal ? .refused(message: nil) : .unclear(Self.unclear(response))
            }
        }
    }

    /// A status that no rule lists refuses the token nevertheless if its body is the backend's.
    private static func refreshFailure(
        _ failure: ResponseFailure,
        _ response: WireResponse
    ) -> ExchangeOutcome {
        let unclear = unclear(failure, response)
        guard unclear == .bareRefusal || (200..<300).contains(response.status),
            response.hasObject
        else { return .unclear(unclear) }
        if case .undecodable = failure { return .unclear(unclear) }
        return .refused(message: failure.text)
    }

    private static func unclear(
        _ failure: ResponseFailure,
        _ response: WireResponse
    ) -> UnclearAnswer {
        if case .undecodable = failure { return .unreadable }
        return unclear(response)
    }

    private static func unclear(_ response: WireResponse) -> UnclearAnswer {
        switch response.status {
        case 429: .rateLimited(seconds: response.secondsToWait)
        case 408, 425: .serverError
        case 400..<500: .bareRefusal
        case 500...: .serverError
        default: .unreadable
        }
    }

    /// Returns the error code of RFC 6749 section 5.2, which is no text of the server's choice.
    private static func errorCode(in response: WireResponse) -> String? {
        guard response.status >= 400,
            let code = JSONValue(parsing: response.body)?.value(at: "error")?.stringValue,
            (1...40).contains(code.utf8.count),
            code.utf8.allSatisfy({ (0x61...0x7A).contains($0) || $0 == 0x5F })
        else { return nil }
        return code
    }

    private mutating func note(_ response: WireResponse, _ sentAt: Moment, _ endedAt: Moment) {
        if let date = response.header("Date").flatMap(HTTPDate.parse) {
            facts.clock = ServerOffset(
                date: date,
                sentAt: sentAt.wall,
                receivedAt: endedAt.wall
            )
        }
        noteExpiries(sentAt)
        noteClaims()
        facts.scope = JSONValue(parsing: response.body)?.value(at: "scope")?.stringValue
            .map { Set(SessionClaims.scope($0)) }
        let cache = response.headers.filter { $0.name.asciiLowercased == "cache-control" }
        facts.isUncacheable = cache.contains {
            $0.value.asciiLowercased.containsBytes(of: "no-store")
        }
        facts.openCookies = response.headers.filter { $0.name.asciiLowercased == "set-cookie" }
            .filter { header in
                let attributes = Set(
                    header.value.asciiLowercased.parts(at: ";").dropFirst()
                        .map { String($0.trimmingBlanks) }
                )
                return !attributes.isSuperset(of: ["httponly", "secure"])
            }
            .map { String($0.value.part(before: ";").part(before: "=").prefix(40)) }
    }

    private mutating func noteClaims() {
        facts.claims = tokens.flatMap { SessionClaims($0.access) }
    }

    private mutating func noteExpiries(_ sentAt: Moment) {
        guard let tokens else { return }
        let access = Expiry.weighing(
            tokens.accessEvidence,
            sentAt: sentAt.wall,
            offset: facts.clock
        )
        let refresh = Expiry.weighing(
            tokens.refreshEvidence,
            sentAt: sentAt.wall,
            offset: facts.clock
        )
        facts.accessLifetime = access.map { $0.seconds + $0.margin }
        facts.accessSource = access?.source
        facts.refreshLifetime = refresh.map { $0.seconds + $0.margin }
        facts.refreshSource = refresh?.source
        facts.expiriesDisagree =
            access?.mismatch.isEmpty == false || refresh?.mismatch.isEmpty == false
        let opaque = [tokens.access.secret, tokens.refresh?.secret].compactMap(\.self)
            .filter { JSONWebToken(reading: $0) == nil }
        facts.shortestToken = opaque.map(\.byteCount).min()
    }
}

extension WireResponse {
    /// Whether the body is a JSON object.
    fileprivate var hasObject: Bool {
        if case .object? = JSONValue(parsing: body) { true } else { false }
    }

    /// The seconds of `Retry-After`, if they are stated so.
    fileprivate var secondsToWait: Double? {
        if case .seconds(let seconds)? = retryAfter { seconds } else { nil }
    }
}

extension UnsentCause {
    fileprivate var answer: UnclearAnswer {
        if case .unreachable(let detail) = self { .notSent(detail: detail) } else { .notPossible }
    }
}

extension ResponseFailure {
    fileprivate var text: String? {
        switch self {
        case .transient(_, let message, _), .clientFault(_, let message),
            .forbidden(_, let message, _):
            message
        case .undecodable(_, let message): message
        }
    }
}
