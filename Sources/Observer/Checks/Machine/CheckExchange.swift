import Basics

/// One exchange of a check, without its tokens: the evidence of a verdict.
package struct CheckExchange: Sendable, Hashable {
    /// From 1, in the order in which the exchanges ended.
    package let number: Int
    package let probe: ProbeName
    /// The probe session of the probe, from 0.
    package let probeSession: Int
    /// The attempt of the probe session, from 1; the others' exchanges are no evidence.
    package let attempt: Int
    package let action: CheckAction
    /// Seconds since the start of the check.
    package let sentAt: Double
    package let endedAt: Double
    package let status: Int?
    package let outcome: ExchangeOutcome
    /// The value of `error` in the answer, if it is a plain code.
    package var code: String?
    /// The other facts of the answer.
    var facts = ProbeAnswerFacts()
    /// When the same request was first refused, in seconds, if it was sent again because a refusal
    /// without a body may have another cause.
    var refusedSince: Double?
}

/// The result of an exchange.
package enum ExchangeOutcome: Sendable, Hashable {
    /// The answer brought tokens.
    case issued(IssuedGeneration)
    /// The token was accepted, or the request succeeded.
    case accepted
    /// The token was refused, with the backend's message.
    case refused(message: String?)
    /// The socket was closed; 1006 means without a close frame (RFC 6455 section 7.1.5).
    case closed(code: Int)
    /// It says nothing about a token.
    case unclear(UnclearAnswer)
}

/// Tokens by their generation.
package struct IssuedGeneration: Sendable, Hashable {
    /// The effect of an answer on the refresh token.
    package enum Refresh: Sendable, Hashable {
        /// The answer has none.
        case absent
        /// The one that was sent.
        case unchanged
        /// One that an earlier answer has brought, with its generation.
        case repeated(Int)
        case new
    }

    package let number: Int
    package let refresh: Refresh
}

/// Why an answer decides nothing.
package enum UnclearAnswer: Sendable, Hashable {
    case notSent(detail: String)
    case unanswered(detail: String)
    /// A socket was closed with a code that a network or a new deployment causes as well.
    case cut(code: Int)
    /// 5xx, or another status that says nothing.
    case serverError
    /// 429, with the seconds to wait if they are stated.
    case rateLimited(seconds: Double?)
    /// It succeeded, but cannot be read, or is a redirect.
    case unreadable
    /// A refusal without a body in the backend's format, which a proxy may have sent.
    case bareRefusal
    /// A challenge that no other token of the session answers, with its error code, such as
    /// `insufficient_scope`: it does not say that the token has ended.
    case challenged(code: String)
    /// A login was refused although others had succeeded.
    case loginRefused
    /// The request needs something that there is not.
    case notPossible
}

/// A probe's reading of an answer besides its meaning.
struct ProbeAnswerFacts: Sendable, Hashable {
    /// The server's clock relative to ours, from `Date`.
    var clock: ServerOffset?
    /// The stated lifetime of the access token, in seconds.
    var accessLifetime: Double?
    var accessSource: ExpirySource?
    /// The stated lifetime of the refresh token, in seconds.
    var refreshLifetime: Double?
    var refreshSource: ExpirySource?
    /// Whether two statements about an expiry disagree.
    var expiriesDisagree = false
    /// Whether the answer forbids caches to store it (RFC 6749 section 5.1).
    var isUncacheable = false
    /// The names of cookies that lack `HttpOnly` or `Secure`.
    var openCookies: [String] = []
    /// The access token's statements about the session, if it can be read.
    var claims: SessionClaims?
    /// The scope of the answer (RFC 6749 section 5.1).
    var scope: Set<String>?
    /// The size of the smaller token, in bytes, if a token is opaque.
    var shortestToken: Int?

    init() {}
}

extension CheckExchange {
    var isRefusal: Bool {
        if case .refused = outcome { true } else { false }
    }

    /// Whether the server has failed (RFC 9110 section 15.6).
    var isServerError: Bool { outcome == .unclear(.serverError) && (status ?? 0) >= 500 }

    var isSuccess: Bool {
        switch outcome {
        case .issued, .accepted: true
        case .refused, .closed, .unclear: false
        }
    }

    /// The exchange as a login that has brought the tokens of its answer.
    var asLogin: CheckExchange {
        CheckExchange(
            number: number,
            probe: probe,
            probeSession: probeSession,
            attempt: 1,
            action: .login(family: 0),
            sentAt: sentAt,
            endedAt: endedAt,
            status: status,
            outcome: .issued(IssuedGeneration(number: 1, refresh: .new)),
            code: code,
            facts: facts
        )
    }

    /// The tokens that it brought.
    var issued: IssuedGeneration? {
        if case .issued(let issued) = outcome { issued } else { nil }
    }
}
