package import FoundationEssentials

/// What an answer to a login means.
package enum LoginResponse: Sendable, Hashable {
    case issued(IssuedTokens)
    /// The credentials were refused, with the backend's words where it had any.
    case rejected(status: Int, message: String?)
    case failed(ResponseFailure)
}

/// What an answer to a refresh means.
package enum RefreshResponse: Sendable, Hashable {
    case issued(IssuedTokens)
    case refused(Refusal)
    case failed(ResponseFailure)
}

/// A backend's word that the refresh token is no longer accepted.
package struct Refusal: Sendable, Hashable {
    package var status: Int
    /// The backend's own message, bounded, or `nil` if it had none.
    package var message: String?
    /// A refusal without a body of the dialect's shape (a captive portal, a proxy) counts only when
    /// it comes twice.
    package var isBare: Bool

    package init(status: Int, message: String?, isBare: Bool = false) {
        self.status = status
        self.message = message
        self.isBare = isBare
    }
}

/// An answer that decides nothing about the session.
package enum ResponseFailure: Sendable, Hashable {
    /// The backend cannot say now: 429, 5xx, and whatever the dialect does not call terminal.
    case transient(status: Int, message: String?, retryAfter: RetryAfter?)
    /// The request is not understood: 400, 404, 405, 415, 422, a redirect. Asking again will not
    /// help.
    case clientFault(status: Int, message: String?)
    /// A success whose body cannot be read: the token may well be spent.
    case undecodable(status: Int, message: String)
}

/// `Retry-After` (RFC 9110 section 10.2.3).
package enum RetryAfter: Sendable, Hashable {
    case seconds(Double)
    /// By the server's clock.
    case date(Date)
}

/// What an answer to a protected request says about the access token.
package enum ProtectedResponse: Sendable, Hashable {
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
package enum LogoutResponse: Sendable, Hashable {
    /// Done: 2xx.
    case acknowledged(status: Int)
    /// The backend does not know the token, or no longer: 401, 404. There is nothing left to do.
    case tokenUnknown(status: Int)
    case failed(status: Int, retryAfter: RetryAfter?)
}
