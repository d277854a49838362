package import Basics

/// The meaning of a response, and the rule that decided it.
package struct Decision<Meaning: Sendable>: Sendable {
    package var meaning: Meaning
    package var rule: DecidingRule

    package init(_ meaning: Meaning, by rule: DecidingRule) {
        self.meaning = meaning
        self.rule = rule
    }
}

/// The rule that gave a response its meaning: a rule of the profile, or one that holds for every
/// backend.
package enum DecidingRule: Sendable, Hashable, Codable {
    /// One of `[[refresh.terminal]]`: the refresh token is no longer accepted.
    case terminal(RuleCondition)
    /// One of `[[refresh.client_faults]]`: the request is at fault.
    case clientFault(RuleCondition)
    /// The flag that `success` names says that a successful response is a failure.
    case failureFlag
    /// The response deletes the cookie of this name, which is the refresh token.
    case cookieDeleted(String)
    /// `login.rejected` lists the status.
    case rejected
    /// `protected.expired` lists the status.
    case expired
    /// `protected.expired_errors` lists an error in `WWW-Authenticate`.
    case expiredError(String)
    /// `protected.not_expired_errors` lists an error in `WWW-Authenticate`.
    case notExpiredError(String)
    /// One of `[[protected.refused]]` or `[[feed.refused]]`: the access token is no longer accepted.
    case refused(RuleCondition)
    /// One of these with `renew = false`: another access token would not be accepted either.
    case notRenewable(RuleCondition)
    /// Its body refuses the token in a way that is known of other backends.
    case recognized
    /// It succeeded, and has what was asked for.
    case success
    /// It brings a refresh token that replaces the one that was sent, and nothing else to use.
    case refreshTokenOnly
    /// It succeeded, and cannot be read.
    case unreadable
    /// 429 and 5xx say nothing about a token, whatever the profile says.
    case neverTerminal
    /// Its status has a fixed meaning for this request.
    case status
    /// The user has not logged in on the other device yet (RFC 8628 section 3.5).
    case pending
    /// No rule of the profile applies.
    case unlisted

    /// The rule as the field `rule` of an event has it.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        case terminal
        case clientFault
        case failureFlag
        case cookieDeleted
        case rejected
        case expired
        case expiredError
        case notExpiredError
        case refused
        case notRenewable
        case recognized
        case success
        case refreshTokenOnly
        case unreadable
        case neverTerminal
        case status
        case pending
        case unlisted
    }

    package var code: Code {
        switch self {
        case .terminal: .terminal
        case .clientFault: .clientFault
        case .failureFlag: .failureFlag
        case .cookieDeleted: .cookieDeleted
        case .rejected: .rejected
        case .expired: .expired
        case .expiredError: .expiredError
        case .notExpiredError: .notExpiredError
        case .refused: .refused
        case .notRenewable: .notRenewable
        case .recognized: .recognized
        case .success: .success
        case .refreshTokenOnly: .refreshTokenOnly
        case .unreadable: .unreadable
        case .neverTerminal: .neverTerminal
        case .status: .status
        case .pending: .pending
        case .unlisted: .unlisted
        }
    }
}

extension DecidingRule {
    /// Whether the response counts only if it comes again: only its status is the rule's.
    package var isBare: Bool {
        switch self {
        case .terminal(let condition), .clientFault(let condition): condition.isBare
        default: false
        }
    }
}

/// The condition of a rule of the profile that the response met.
package struct RuleCondition: Sendable, Hashable, Codable {
    /// The statuses that the rule names; empty if any will do.
    package var statuses: [Int] = []
    /// The key path that has to be in the body.
    package var key: String?
    /// The values that the rule allows there; empty if any will do.
    package var values: [JSONValue] = []
    /// The key path that must not be in the body.
    package var missing: String?
    /// The name of a header that has to be there, with a text that its value has if there is one.
    package var header: String?
    /// Texts of which the body has to have one.
    package var words: [String]?
    /// Whether only the status is the rule's: the body is not in the dialect's format, and the
    /// response counts only if it comes again.
    package var isBare: Bool = false
}
