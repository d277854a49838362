package import Basics

/// A request to a backend, parsed by its dialect.
package enum RecognizedRequest: Sendable, Hashable {
    /// A login with the credentials by their names in the dialect; a missing one is absent.
    case login(credentials: [String: Secret])
    /// A refresh; the token is `nil` if its place in the request is empty.
    case refresh(RefreshToken?)
    case logout(LogoutScope, refresh: RefreshToken?, access: AccessToken?)
    case protected(AccessToken?)
    /// An upgrade for the feed; `since` is the last message that the client has.
    case feed(AccessToken?, since: String?)
    /// A request for the list of the user's active sessions.
    case sessions(AccessToken?)
    /// A request for what is known of the token (RFC 7662).
    case introspection(Secret?)
    /// A request for the token's user.
    case userinfo(AccessToken?)
    /// A request to end the session with this id in the list.
    case endSession(id: String, AccessToken?)
}

/// A backend's decision, to be written by the dialect.
package enum BackendResponse: Sendable, Hashable {
    case loginIssued(IssuedFacts)
    case loginRejected
    case refreshIssued(IssuedFacts)
    case refreshRefused(RefreshRefusalCause)
    case loggedOut(LogoutScope)
    case logoutRefused(LogoutScope)
    case protectedContent(user: BackendUser)
    case unauthorized(UnauthorizedCause)
    case sessions([SessionFacts])
    case sessionEnded
    /// The user has no such session.
    case sessionUnknown
    /// The state of a token, or `nil` if it is not accepted.
    case introspected(IntrospectionFacts?)
    case userinfo(BackendUser)
    /// The body is not in the dialect's format.
    case malformed
}

/// A backend's facts about a token that it accepts.
package struct IntrospectionFacts: Sendable, Hashable {
    var isAccessToken: Bool
    /// Seconds since 1970.
    var expiresAt: Double
    var user: BackendUser

    package init(isAccessToken: Bool, expiresAt: Double, user: BackendUser) {
        self.isAccessToken = isAccessToken
        self.expiresAt = expiresAt
        self.user = user
    }
}

/// The reason why a refresh was rejected, as the backend knows it; the dialect determines what the
/// client is told.
package enum RefreshRefusalCause: String, Sendable, Hashable, CaseIterable {
    /// There was no token in the request.
    case missing
    /// The token does not have the format of a refresh token.
    case malformed
    /// The token was never issued.
    case unknown
    /// The token was already exchanged.
    case spent
    case expired
    case revoked
}

package enum UnauthorizedCause: String, Sendable, Hashable, CaseIterable {
    case missing
    case expired
    case invalid
}

/// The facts about issued tokens, with all that some dialect writes into its responses.
package struct IssuedFacts: Sendable, Hashable {
    package var access: AccessToken
    /// The refresh token, or `nil` if the response omits it.
    package var refresh: RefreshToken?
    /// The time of issue, in seconds since 1970 by the backend's clock.
    package var issuedAt: Double
    /// The access token's lifetime in seconds.
    package var accessLifetime: Double
    /// The seconds from `issuedAt` to the refresh token's expiry, which decrease if the lifetime
    /// does not slide.
    package var refreshLifetime: Double
    package var user: BackendUser

    package init(
        access: AccessToken,
        refresh: RefreshToken?,
        issuedAt: Double,
        accessLifetime: Double,
        refreshLifetime: Double,
        user: BackendUser
    ) {
        self.access = access
        self.refresh = refresh
        self.issuedAt = issuedAt
        self.accessLifetime = accessLifetime
        self.refreshLifetime = refreshLifetime
        self.user = user
    }
}

package struct BackendUser: Sendable, Hashable {
    package var id: Int
    var email: String
    var username: String

    package init(id: Int, email: String, username: String) {
        self.id = id
        self.email = email
        self.username = username
    }
}

/// One active session of a user, as in a list of devices.
package struct SessionFacts: Sendable, Hashable {
    package var id: String
    /// Seconds since 1970.
    var startedAt: Double
    var isCurrent: Bool
    /// The program or device that logged in, or `nil` if its request does not say.
    var name: String?

    package init(id: String, name: String? = nil, startedAt: Double, isCurrent: Bool) {
        self.id = id
        self.name = name
        self.startedAt = startedAt
        self.isCurrent = isCurrent
    }
}
