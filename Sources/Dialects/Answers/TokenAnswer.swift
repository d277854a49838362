package import FoundationEssentials

/// What an answer to a login means.
package enum LoginAnswer: Sendable, Hashable {
    case issued(IssuedTokens)
    /// The credentials were refused, with the backend's words where it had any.
    case rejected(status: Int, words: String?)
    case failed(AnswerFailure)
}

/// What an answer to a refresh means.
package enum RefreshAnswer: Sendable, Hashable {
    case issued(IssuedTokens)
    case refused(Refusal)
    case failed(AnswerFailure)
}

/// A backend's word that the refresh token buys nothing any more.
package struct Refusal: Sendable, Hashable {
    package var status: Int
    /// The backend's own words, bounded; nil when it had none.
    package var words: String?
    /// A refusal without a body of the dialect's shape (a captive portal, a proxy) counts only when
    /// it comes twice.
    package var isBare: Bool

    package init(status: Int, words: String?, isBare: Bool = false) {
        self.status = status
        self.words = words
        self.isBare = isBare
    }
}

/// An answer that decides nothing about the session.
package enum AnswerFailure: Sendable, Hashable {
    /// The backend cannot say now: 429, 5xx, and whatever the dialect does not call terminal.
    case transient(status: Int, words: String?, retryAfter: RetryAfter?)
    /// We asked wrongly: 400, 404, 405, 415, 422, a redirect. Asking again will not help.
    case clientFault(status: Int, words: String?)
    /// A success whose body cannot be read: the token may well be spent.
    case undecodable(status: Int, words: String)
}

/// `Retry-After` (RFC 9110 section 10.2.3).
package enum RetryAfter: Sendable, Hashable {
    case seconds(Double)
    /// By the server's clock.
    case date(Date)
}

/// What an answer to a protected request says about the access token.
package enum ProtectedAnswer: Sendable, Hashable {
    /// The token was accepted; the status may still be any other than the dialect's "expired".
    case accepted
    /// Accepted, and these are the user's sessions.
    case listed([ListedSession])
    /// This access token is no longer accepted.
    case tokenRejected
    /// Says nothing about the token: a server error, a limit, a missing page.
    case inconclusive(retryAfter: RetryAfter?)
}

/// How far a logout reaches.
package enum LogoutScope: String, Sendable, Hashable, CaseIterable {
    case this
    case everywhere
}

/// What an answer to a logout means.
package enum LogoutAnswer: Sendable, Hashable {
    /// Done: 2xx.
    case acknowledged(status: Int)
    /// The backend does not know the token, or no longer: 401, 404. There is nothing left to do.
    case tokenUnknown(status: Int)
    case failed(status: Int, retryAfter: RetryAfter?)
}
