package import FoundationEssentials

/// The meaning of a response to a login.
package enum LoginResponse: Sendable, Hashable {
    case issued(IssuedTokens)
    /// The credentials were rejected, with the backend's message if it had one.
    case rejected(status: Int, message: String?)
    /// The user has not entered the code yet (RFC 8628 section 3.5).
    case authorizationPending(slowsDown: Bool)
    /// The user has denied the login, or has not entered the code in time.
    case authorizationEnded(AuthorizationEnd)
    case failed(ResponseFailure)
}

/// The end of a login on another device without tokens.
package enum AuthorizationEnd: Sendable, Hashable {
    /// With the server's description, if there is one: bounded and on one line.
    case denied(description: String?)
    case expired
}

/// The meaning of a response to a refresh.
package enum RefreshResponse: Sendable, Hashable {
    case issued(IssuedTokens)
    /// No access token that can be used, but a refresh token in place of the one that was sent.
    case refreshTokenOnly(RefreshSuccessor)
    case refused(Refusal)
    case failed(ResponseFailure)
}

/// A response which says that the refresh token is no longer accepted.
package struct Refusal: Sendable, Hashable {
    package var status: Int
    /// The backend's own message, bounded, or `nil` if it had none.
    package var message: String?
    /// Whether the body was not in the dialect's format (a captive portal, a proxy), so that the
    /// rejection counts only if it is repeated.
    package var isBare: Bool
    /// The causes that it states for the refresh token, by the backend's documentation; empty if
    /// none in particular.
    package var causes: [RefusalCause]

    package init(
        status: Int,
        message: String?,
        isBare: Bool = false,
        causes: [RefusalCause] = []
    ) {
        self.status = status
        self.message = message
        self.isBare = isBare
        self.causes = causes
    }
}

/// A cause that a backend states for the refusal of a refresh token.
package enum RefusalCause: String, Sendable, Hashable, Codable, CaseIterable {
    /// The token's own life is over.
    case expired
    /// The session was not used for longer than the backend allows.
    case inactive
    /// The session has reached the longest life that the backend allows, however often it is
    /// renewed.
    case sessionEnded = "session_ended"
    /// The token was used before.
    case used
    /// A logout, a changed password or an administrator ended it.
    case revoked
    /// The backend does not know the token.
    case unknown
}

/// A response that decides nothing about the session.
package enum ResponseFailure: Sendable, Hashable {
    /// The backend is temporarily unable to decide: 429, 5xx, and every status that the dialect
    /// does not call terminal.
    case transient(status: Int, message: String?, retryAfter: RetryAfter?)
    /// The request is invalid: 400, 404, 405, 415, 422, a redirect. Repeating it will not help.
    case clientFault(status: Int, message: String?)
    /// The server does not know the client any more that the program has registered: the next login
    /// registers another one.
    case clientForgotten(status: Int, message: String?)
    /// 403 or 419, which the dialect does not list, to a request that sends captured values: one of
    /// them may be the reason.
    case forbidden(status: Int, message: String?, captures: [CaptureReference])
    /// A successful response whose body cannot be read: the token may be spent.
    case undecodable(status: Int, message: String)
}

/// The meaning of a response that may decide nothing.
package protocol FallibleResponse: Sendable {
    static func failed(_ failure: ResponseFailure) -> Self
}

extension LoginResponse: FallibleResponse {}
extension RefreshResponse: FallibleResponse {}
extension PushedResponse: FallibleResponse {}
extension DeviceResponse: FallibleResponse {}

/// The `Retry-After` header (RFC 9110 section 10.2.3).
package enum RetryAfter: Sendable, Hashable {
    case seconds(Double)
    /// A date according to the server's clock.
    case date(Date)
}

/// The statement of a response to a protected request about the access token.
package enum ProtectedResponse: Sendable, Hashable {
    /// The token was accepted, with any status that does not mean that it has expired.
    case accepted
    /// The token was accepted, and these are the user's sessions.
    case listed([ListedSession])
    /// The access token is no longer accepted.
    case tokenRejected
    /// The response says nothing about the token: a server error, a rate limit, a missing page.
    case inconclusive(retryAfter: RetryAfter?)
}

/// The meaning of a response to a logout.
package enum LogoutResponse: Sendable, Hashable {
    /// The logout succeeded: 2xx, or what the profile names.
    case acknowledged(status: Int)
    /// The backend does not accept the token (any more), or has no such endpoint: 401, 404. To send
    /// it again would be of no use.
    case tokenUnknown(status: Int)
    case failed(status: Int, retryAfter: RetryAfter?)
}
