package import Dialects
package import Timekeeping

/// Why a sign-in in the user's browser brought no authorization code.
package enum AuthorizationFailure: Error, Sendable, Hashable, Codable {
    /// The authorization server's `error` and `error_description`, bounded and on one line.
    case refused(error: String, description: String?)
    /// By the user, on the dashboard.
    case cancelled
    /// No redirect came in time, or only redirects that were not accepted: why the last one was
    /// not.
    case timedOut(RedirectProblem?)
    case rejected(RedirectProblem)
    /// The redirect cannot be received, for example because the profile's port is in use.
    case notListening(detail: String)
    /// There is no user to sign in, as for a command in a script.
    case noUser

    /// Whether the user or the server has refused it.
    var isRefusal: Bool {
        if case .refused = self { true } else { false }
    }
}

/// A sign-in that waits for the user.
package struct AuthorizationPrompt: Sendable, Hashable, Codable {
    /// The URL to open in a browser on this machine.
    package var url: String
    /// Whether a browser was started with it.
    package var isOpened: Bool
    /// When the sign-in is given up.
    package var expiresAt: Instant

    package init(url: String, isOpened: Bool, expiresAt: Instant) {
        self.url = url
        self.isOpened = isOpened
        self.expiresAt = expiresAt
    }
}
