import Basics
import FoundationEssentials
import Model
import Profiles

/// The dialect's reading of an answer of a check.
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

    /// The result of the caller's login, if it has brought something.
    ///
    /// The end of its token is read by the server's clock, as far as an earlier answer has shown that.
    init(
        _ tokens: IssuedTokens?,
        scope: Set<String>?,
        sentAt: Moment,
        clock: ServerOffset? = nil
    ) {
        self.tokens = tokens
        guard tokens != nil else {
            outcome = .unclear(.notPossible)
            return
        }
        recordExpiries(sentAt, clock)
        recordClaims()
        facts.scope = scope ?? tokens?.statements.scopes.map { Set($0) }
        // The way in which it was delivered is not known.
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
            let reading = AnswerReading(
                response,
                to: action.request(with: credentials),
                method: "GET",
                by: Shared(dialect),
                recognition: dialect.recognition,
                isEmpty: response.body.isEmpty,
                hiding: secrets.adding(dialect.tokens(in: response))
            )
            code = reading.errorCode
            read(reading, of: response, to: action, endedAt)
            if case .protected(.inconclusive) = reading.meaning, !action.hasBadToken,
                case .notExpiredError(let code) = dialect.decideProtected(response).rule
            {
                outcome = .unclear(.challenged(code: code))
            }
            apply(reading, of: response, sentAt, endedAt)
            if case .refused(let text) = outcome { message = text }
        }
    }

    private mutating func read(
        _ reading: AnswerReading,
        of response: WireResponse,
        to action: CheckAction,
        _ endedAt: Moment
    ) {
        switch reading.meaning {
        case .login(.issued(let issued)), .refresh(.issued(let issued)): tokens = issued
        case .login(.rejected(_, let message)): outcome = .refused(message: message)
        case .login(.authorizationPending), .login(.authorizationEnded):
            outcome = .unclear(.notPossible)
        case .login(.failed(let failure)):
            outcome = .unclear(Self.unclear(failure, response, endedAt))
            message = failure.text
        // The session goes on with its new refresh token only, which no probe has asked for.
        case .refresh(.refreshTokenOnly(let successor)):
            outcome = .unclear(.unreadable)
            message = successor.message
        case .refresh(.refused(let refusal)):
            // A dialect may believe an empty body at once; a proxy sends such a body as well.
            outcome =
                refusal.isBare || !reading.isObject
                ? .unclear(.bareRefusal) : .refused(message: refusal.message)
        case .refresh(.failed)
        where action == .refreshWithoutNonce && ProofOfPossession.isNonceRefused(by: response):
            outcome = .refused(message: nil)
        case .refresh(.failed(let failure)):
            outcome = Self.refreshFailure(
                failure,
                response,
                isObject: reading.isObject,
                endedAt
            )
        // With a good token, 409 or 422 is about the request; with a bad one, it may be about that.
        case .protected(.accepted) where action.hasBadToken && response.status >= 400:
            outcome = .refused(message: nil)
        case .protected(.accepted), .protected(.listed): break
        case .protected(.tokenRejected): outcome = .refused(message: nil)
        case .protected(.inconclusive): outcome = .unclear(Self.unclear(response, endedAt))
        case .logout(.acknowledged): break
        case .logout(.tokenUnknown): outcome = .refused(message: nil)
        case .logout(.failed):
            let isRefusal = (400..<500).contains(response.status) && response.status != 429
            outcome = isRefusal ? .refused(message: nil) : .unclear(Self.unclear(response, endedAt))
        case nil:
            switch action {
            case .dial, .dialWith, .dialExpired:
                outcome = Self.dialOutcome(action, response, endedAt)
            case .reach, .warm, .watch, .login, .loginWrong, .refresh, .refreshTwice,
                .refreshUnread, .refreshWith, .refreshFor, .refreshWithoutNonce, .use, .useWith,
                .logout, .logoutUnknown:
                break
            }
        }
    }

    /// The outcome of an upgrade that was answered with something else.
    private static func dialOutcome(
        _ action: CheckAction,
        _ response: WireResponse,
        _ endedAt: Moment
    ) -> ExchangeOutcome {
        switch response.status {
        // A refusal by a proxy says nothing of a valid token: the request is repeated.
        case 408, 425, 429: .unclear(unclear(response, endedAt))
        case 400..<500: action.hasBadToken ? .refused(message: nil) : .unclear(.bareRefusal)
        default: .unclear(unclear(response, endedAt))
        }
    }

    /// A status that no rule lists refuses the token nevertheless if its body is the backend's.
    private static func refreshFailure(
        _ failure: ResponseFailure,
        _ response: WireResponse,
        isObject: Bool,
        _ endedAt: Moment
    ) -> ExchangeOutcome {
        let unclear = unclear(failure, response, endedAt)
        guard unclear == .bareRefusal || (200..<300).contains(response.status),
            isObject
        else { return .unclear(unclear) }
        if case .undecodable = failure { return .unclear(unclear) }
        return .refused(message: failure.text)
    }

    private static func unclear(
        _ failure: ResponseFailure,
        _ response: WireResponse,
        _ endedAt: Moment
    ) -> UnclearAnswer {
        if case .undecodable = failure { return .unreadable }
        return unclear(response, endedAt)
    }

    private static func unclear(_ response: WireResponse, _ endedAt: Moment) -> UnclearAnswer {
        switch response.status {
        case 429: .rateLimited(seconds: response.secondsToWait(receivedAt: endedAt.wall))
        case 408, 425: .serverError
        case 400..<500: .bareRefusal
        case 500...: .serverError
        default: .unreadable
        }
    }

    private mutating func apply(
        _ reading: AnswerReading,
        of response: WireResponse,
        _ sentAt: Moment,
        _ endedAt: Moment
    ) {
        if let date = response.date {
            facts.clock = ServerOffset(
                date: date,
                sentAt: sentAt.wall,
                receivedAt: endedAt.wall
            )
        }
        recordExpiries(sentAt, facts.clock)
        recordClaims()
        facts.scope = reading.scopes
        // A login that does not state it has brought what was asked for (RFC 6749 section 5.1).
        if case .login = reading.meaning {
            facts.scope = facts.scope ?? tokens?.statements.scopes.map { Set($0) }
        }
        facts.isUncacheable = reading.forbidsStoring
        facts.openCookies = reading.cookies
            .filter { !$0.flags.isSuperset(of: ["httponly", "secure"]) }
            .map { String($0.name.prefix(40)) }
    }

    private mutating func recordClaims() {
        facts.claims = tokens.flatMap { SessionClaims($0.access) }
    }

    private mutating func recordExpiries(_ sentAt: Moment, _ clock: ServerOffset?) {
        guard let tokens else { return }
        let access = Expiry.weighing(
            tokens.accessEvidence,
            sentAt: sentAt.wall,
            offset: clock
        )
        let refresh = Expiry.weighing(
            tokens.refreshEvidence,
            sentAt: sentAt.wall,
            offset: clock
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

extension UnsentCause {
    fileprivate var answer: UnclearAnswer {
        if case .unreachable(let detail) = self { .notSent(detail: detail) } else { .notPossible }
    }
}

extension ResponseFailure {
    fileprivate var text: String? {
        switch self {
        case .transient(_, let message, _), .clientFault(_, let message),
            .clientForgotten(_, let message), .forbidden(_, let message, _):
            message
        case .undecodable(_, let message): message
        }
    }
}

extension CheckAction {
    /// Its request as a profile has it, or `nil` if no token decides the meaning of the answer.
    fileprivate func request(with credentials: [String: Secret]) -> RecognizedRequest? {
        switch self {
        case .reach, .warm, .watch, .dial, .dialWith, .dialExpired: nil
        case .login, .loginWrong: .login(credentials: credentials)
        case .refresh, .refreshTwice, .refreshUnread, .refreshWith, .refreshFor,
            .refreshWithoutNonce:
            .refresh(nil)
        case .use, .useWith: .protected(nil)
        case .logout(let scope, _): .logout(scope, refresh: nil, access: nil)
        case .logoutUnknown: .logout(.this, refresh: nil, access: nil)
        }
    }
}
