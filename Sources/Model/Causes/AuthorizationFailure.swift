import Basics
package import Profiles

/// Why a login in the user's browser brought no authorization code.
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
    /// The code of a login on another device has expired.
    case codeExpired
    /// There is no user to log in, as for a command in a script.
    case noUser

    /// Whether the user or the server has refused it.
    var isRefusal: Bool {
        if case .refused = self { true } else { false }
    }
}
