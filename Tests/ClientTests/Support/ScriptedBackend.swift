import Basics
import Client
import FoundationEssentials
import Model
import Profiles

/// A backend that is healthy unless the script says otherwise; it knows every token it issued.
struct ScriptedBackend {
    /// The effect of a refresh on the refresh token.
    enum Behavior {
        case rotates
        /// The same token is in every answer.
        case keeps
        /// No token is in the answer, and the old one lives on.
        case keepsSilently
        /// No token is in the answer, and the old one is spent.
        case consumes
    }

    /// The fault of one exchange in place of the healthy answer.
    enum Fault: Hashable {
        case notSent
        /// The request is lost on its way: nothing happened.
        case lostRequest
        /// It is acted upon, and the answer is lost.
        case lostAnswer
        case status(Int, retryAfter: RetryAfter? = nil)
        case clientFault(Int)
        /// It is acted upon, and the success cannot be read.
        case undecodable
        /// It is acted upon, and the answer has this status, and the refresh token alone.
        case refreshTokenOnly(Int, retryAfter: RetryAfter? = nil)
        case refused
        /// With what the backend says of the token.
        case refusedAs([RefusalCause])
        case bareRefusal
    }

    /// The way in which an answer states the end of its access token.
    enum Statement {
        case lifetime
        /// A web token's `exp` in whole seconds, without `iat`.
        case webTokenExpiry
        /// A web token's `exp` and `iat`.
        case webToken
        /// The same end in every answer.
        case fixed(Double)
        case nothing
    }

    struct Family {
        let number: Int
        var generation = 0
        var refresh = ""
        var refreshEnd = Double.infinity
        var spent: [String: Double] = [:]
        var isEnded = false
    }

    var accessLifetime = 60.0
    /// `nil`: indefinitely, and the answers say nothing of it.
    var refreshLifetime: Double? = 86_400
    /// The statement of its answers about the captured values.
    var captured = CaptureChange.none
    /// The ID token of its logins and refreshes from now on, or `nil` for none.
    var idToken: IDToken?
    /// Whether a refresh moves the refresh token's end on.
    var slides = true
    /// Whether the refresh token's end is only documented.
    var isRefreshEndDocumented = false
    /// The refresh token says itself when it ends and when it was issued.
    var isRefreshWebToken = false
    var behavior = Behavior.rotates
    var statement = Statement.lifetime
    var hasRefreshToken = true
    /// A spent token is answered with the same successor for this many seconds.
    var grace = 0.0
    /// A spent token that is accepted is answered with a successor of its own.
    var forks = false
    /// A spent token that is refused ends its family.
    var revokesOnReuse = false
    var subject: String? = "u1"
    var scopes: [String]?
    /// From the request's start to the answer's end, in seconds.
    var roundTrip = 0.3
    /// The server's clock ahead of ours, in seconds; `nil`: its answers have no `Date`.
    var ahead: Double?
    /// No byte gets through.
    var isUnreachable = false
    /// Every access token is refused.
    var rejectsAll = false

    var refreshFaults: [Fault] = []
    var loginFaults: [Fault] = []
    var protectedFaults: [Fault] = []
    var logoutFaults: [Fault] = []

    private(set) var families: [Family] = []
    private(set) var accessEnds: [String: Double] = [:]
    private(set) var revoked: [String] = []

    // MARK: - Exchanges

    mutating func login(at time: Double) -> Outcome<LoginResponse> {
        if isUnreachable { return .notSent(.unreachable(detail: "unreachable")) }
        switch loginFaults.take() {
        case .notSent?: return .notSent(.unreachable(detail: "refused"))
        case .lostRequest?: return .unanswered(detail: "timed out")
        case .lostAnswer?:
            _ = newFamily(at: time)
            return .unanswered(detail: "reset")
        case .status(let status, let retryAfter)?:
            return .answered(
                .failed(.transient(status: status, message: nil, retryAfter: retryAfter))
            )
        case .clientFault(let status)?:
            return .answered(.failed(.clientFault(status: status, message: "what?")))
        case .undecodable?, .refreshTokenOnly?:
            return .answered(.failed(.undecodable(status: 200, message: "HTML")))
        case .refused?, .refusedAs?, .bareRefusal?:
            return .answered(.rejected(status: 401, message: "wrong password"))
        case nil: return .answered(.issued(newFamily(at: time)))
        }
    }

    mutating func refresh(
        _ token: RefreshToken,
        at time: Double
    ) -> Outcome<RefreshResponse> {
        if isUnreachable { return .notSent(.unreachable(detail: "unreachable")) }
        switch refreshFaults.take() {
        case .notSent?: return .notSent(.unreachable(detail: "refused"))
        case .lostRequest?: return .unanswered(detail: "timed out")
        case .lostAnswer?:
            _ = renew(token, at: time)
            return .unanswered(detail: "reset")
        case .status(let status, let retryAfter)?:
            return .answered(
                .failed(.transient(status: status, message: nil, retryAfter: retryAfter))
            )
        case .clientFault(let status)?:
            return .answered(.failed(.clientFault(status: status, message: "what?")))
        case .undecodable?:
            _ = renew(token, at: time)
            return .answered(.failed(.undecodable(status: 200, message: "HTML")))
        case .refreshTokenOnly(let status, let retryAfter)?:
            guard let issued = renew(token, at: time), let refresh = issued.refresh else {
                return .answered(.refused(Refusal(status: 401, message: "unknown token")))
            }
            return .answered(
                .refreshTokenOnly(
                    RefreshSuccessor(
                        refresh: refresh,
                        evidence: issued.refreshEvidence,
                        status: status,
                        message: "no access token",
                        retryAfter: retryAfter
                    )
                )
            )
        case .refused?: return .answered(.refused(Refusal(status: 401, message: "no")))
        case .refusedAs(let causes)?:
            return .answered(.refused(Refusal(status: 401, message: "no", causes: causes)))
        case .bareRefusal?:
            return .answered(.refused(Refusal(status: 401, message: nil, isBare: true)))
        case nil:
            guard let issued = renew(token, at: time) else {
                return .answered(.refused(Refusal(status: 401, message: "unknown token")))
            }
            return .answered(.issued(issued))
        }
    }

    mutating func protected(
        _ token: AccessToken,
        at time: Double
    ) -> (outcome: Outcome<ProtectedResponse>, status: Int?) {
        if isUnreachable { return (.notSent(.unreachable(detail: "unreachable")), nil) }
        switch protectedFaults.take() {
        case .notSent?: return (.notSent(.unreachable(detail: "refused")), nil)
        case .lostRequest?, .lostAnswer?: return (.unanswered(detail: "timed out"), nil)
        case .status(let status, let retryAfter)?:
            return (.answered(.inconclusive(retryAfter: retryAfter)), status)
        case .clientFault(let status)?: return (.answered(.accepted), status)
        case .bareRefusal?: return (.answered(.tokenRejected), 403)
        case .undecodable?, .refreshTokenOnly?, .refused?, .refusedAs?:
            return (.answered(.tokenRejected), 401)
        case nil:
            let end = accessEnds[token.secret.reveal()] ?? 0
            let isGood = time < end && !rejectsAll
            return (.answered(isGood ? .accepted : .tokenRejected), isGood ? 200 : 401)
        }
    }

    mutating func logout(
        _ entry: PendingRevocation
    ) -> (outcome: Outcome<LogoutResponse>, status: Int?) {
        if isUnreachable { return (.notSent(.unreachable(detail: "unreachable")), nil) }
        switch logoutFaults.take() {
        case .notSent?: return (.notSent(.unreachable(detail: "refused")), nil)
        case .lostRequest?, .lostAnswer?, .undecodable?, .refreshTokenOnly?:
            return (.unanswered(detail: "timed out"), nil)
        case .status(let status, let retryAfter)?:
            return (.answered(.failed(status: status, retryAfter: retryAfter)), status)
        case .clientFault(let status)?:
            return (.answered(.failed(status: status, retryAfter: nil)), status)
        case .refused?, .refusedAs?, .bareRefusal?:
            return (.answered(.tokenUnknown(status: 401)), 401)
        case nil:
            if let token = entry.refresh ?? refreshToken(besides: entry.access) {
                revoke(token.secret.reveal())
            }
            return (.answered(.acknowledged(status: 200)), 200)
        }
    }

    /// By the server's clock, in whole seconds, as `Date` tells it.
    func date(at wall: Date) -> Date? {
        ahead.map { Date(timeIntervalSince1970: (wall.timeIntervalSince1970 + $0).rounded(.down)) }
    }

    // MARK: - Its own acts

    /// Every access token issued so far is refused from now on.
    mutating func endAccessTokens() {
        for token in accessEnds.keys { accessEnds[token] = 0 }
    }

    /// Every session is over.
    mutating func endFamilies() {
        for index in families.indices { families[index].isEnded = true }
    }

    /// Another process renews with this token.
    mutating func renewElsewhere(_ token: RefreshToken, at time: Double) -> IssuedTokens? {
        renew(token, at: time)
    }

    /// Whether a refresh with this token would bring new ones now.
    func accepts(_ token: RefreshToken, at time: Double) -> Bool {
        families.contains {
            !$0.isEnded && $0.refresh == token.secret.reveal() && time < $0.refreshEnd
        }
    }

    private mutating func newFamily(at time: Double) -> IssuedTokens {
        var family = Family(number: families.count + 1)
        family.refreshEnd = time + (refreshLifetime ?? .infinity)
        families.append(family)
        return issue(in: families.count - 1, at: time, withRefresh: hasRefreshToken)
    }

    private mutating func renew(_ token: RefreshToken, at time: Double) -> IssuedTokens? {
        let text = token.secret.reveal()
        if let index = families.firstIndex(where: { $0.refresh == text }) {
            guard !families[index].isEnded, time < families[index].refreshEnd else { return nil }
            if slides { families[index].refreshEnd = time + (refreshLifetime ?? .infinity) }
            switch behavior {
            case .rotates: return issue(in: index, at: time, withRefresh: true)
            case .keeps:
                var issued = issue(in: index, at: time, withRefresh: false)
                issued.refresh = token
                return issued
            case .keepsSilently: return issue(in: index, at: time, withRefresh: false)
            case .consumes:
                families[index].refresh = ""
                return issue(in: index, at: time, withRefresh: false)
            }
        }
        guard
            let index = families.firstIndex(where: {
                ($0.spent[text] ?? -.infinity) + grace > time
            }),
            !families[index].isEnded
        else {
            if revokesOnReuse, let index = families.firstIndex(where: { $0.spent[text] != nil }) {
                families[index].isEnded = true
            }
            return nil
        }
        if forks { return issue(in: index, at: time, withRefresh: true) }
        // Within the grace period the same successor is told again.
        return describe(families[index], at: time)
    }

    private mutating func issue(
        in index: Int,
        at time: Double,
        withRefresh: Bool
    ) -> IssuedTokens {
        families[index].generation += 1
        let (number, generation) = (families[index].number, families[index].generation)
        accessEnds["ACCESS-secret-of-\(number)-\(generation)"] = time + accessLifetime
        if withRefresh {
            let old = families[index].refresh
            if !old.isEmpty { families[index].spent[old] = time }
            families[index].refresh = "REFRESH-secret-of-\(number)-\(generation)"
        }
        var issued = describe(families[index], at: time)
        if !withRefresh {
            issued.refresh = nil
            issued.refreshEvidence = []
        }
        return issued
    }

    private func describe(_ family: Family, at time: Double) -> IssuedTokens {
        let access = "ACCESS-secret-of-\(family.number)-\(family.generation)"
        let remaining = (accessEnds[access] ?? time) - time
        let serverTime = time + (ahead ?? 0)
        let evidence: [ExpiryEvidence] =
            switch statement {
            case .lifetime: [.lifetime(seconds: remaining)]
            case .webTokenExpiry:
                [.webToken(expiresAt: (serverTime + remaining).rounded(.down), issuedAt: nil)]
            case .webToken:
                [
                    .webToken(
                        expiresAt: serverTime + remaining,
                        issuedAt: serverTime + remaining - accessLifetime
                    )
                ]
            case .fixed(let end): [.webToken(expiresAt: end, issuedAt: nil)]
            case .nothing: []
            }
        var issued = IssuedTokens(
            access: AccessToken(Secret(access)),
            refresh: RefreshToken(Secret(family.refresh)),
            accessEvidence: evidence,
            refreshEvidence: refreshEvidence(of: family, at: time),
            statements: PairStatements(subject: subject, scopes: scopes)
        )
        issued.captured = captured
        issued.idToken = idToken
        return issued
    }

    private func refreshEvidence(of family: Family, at time: Double) -> [ExpiryEvidence] {
        guard family.refreshEnd.isFinite else { return [] }
        let seconds = family.refreshEnd - time
        if isRefreshWebToken {
            let end = family.refreshEnd + (ahead ?? 0)
            return [.webToken(expiresAt: end, issuedAt: refreshLifetime.map { end - $0 })]
        }
        return isRefreshEndDocumented
            ? [.documented(seconds: seconds)] : [.lifetime(seconds: seconds)]
    }

    /// The refresh token of the session that an access token was issued in.
    private func refreshToken(besides access: AccessToken?) -> RefreshToken? {
        families.first { family in
            access?.secret.reveal().hasPrefix("ACCESS-secret-of-\(family.number)-") ?? false
        }
        .map { RefreshToken(Secret($0.refresh)) }
    }

    private mutating func revoke(_ token: String) {
        revoked.append(token)
        for index in families.indices
        where families[index].refresh == token || families[index].spent[token] != nil {
            families[index].isEnded = true
        }
    }
}

extension [ScriptedBackend.Fault] {
    fileprivate mutating func take() -> ScriptedBackend.Fault? {
        isEmpty ? nil : removeFirst()
    }
}
