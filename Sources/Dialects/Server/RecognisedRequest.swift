package import Tokens

/// What a request asks of a backend, read by the dialect it is written in.
package enum RecognisedRequest: Sendable, Hashable {
    /// The credentials by their names in the dialect; a missing one is absent.
    case login(credentials: [String: Secret])
    /// The token is nil when its place in the request is empty.
    case refresh(RefreshToken?)
    case logout(LogoutScope, refresh: RefreshToken?, access: AccessToken?)
    case protected(AccessToken?)
    /// An upgrade of the feed; `since` is the last message the client has.
    case feed(AccessToken?, since: String?)
    /// The list of the user's active sessions.
    case sessions(AccessToken?)
    /// The end of the session that the list calls so.
    case endSession(id: String, AccessToken?)
}

/// What a backend decided, to be written by the dialect.
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
    /// The body is not of the dialect's shape.
    case malformed
}

/// Why a refresh was refused, as the backend knows it; what the client is told is the dialect's.
package enum RefreshRefusalCause: String, Sendable, Hashable, CaseIterable {
    /// Its place in the request was empty.
    case missing
    /// It does not have the form of a refresh token.
    case malformed
    /// Nobody ever issued it.
    case unknown
    /// It was already exchanged for another.
    case spent
    case expired
    case revoked
}

package enum UnauthorizedCause: String, Sendable, Hashable, CaseIterable {
    case missing
    case expired
    case invalid
}

/// What a backend issued: everything that some dialect writes into its answer.
package struct IssuedFacts: Sendable, Hashable {
    package var access: AccessToken
    /// `nil` where the answer is to leave it out.
    package var refresh: RefreshToken?
    /// Seconds since 1970 by the backend's clock.
    package var issuedAt: Double
    /// Seconds.
    package var accessLifetime: Double
    /// Seconds from `issuedAt` on; what is left of it where the lifetime does not slide.
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
    package var email: String
    package var username: String

    package init(id: Int, email: String, username: String) {
        self.id = id
        self.email = email
        self.username = username
    }
}

/// One active session of a user, as the list of devices shows it.
package struct SessionFacts: Sendable, Hashable {
    package var id: String
    /// Seconds since 1970.
    package var startedAt: Double
    package var isCurrent: Bool

    package init(id: String, startedAt: Double, isCurrent: Bool) {
        self.id = id
        self.startedAt = startedAt
        self.isCurrent = isCurrent
    }
}
