package import Profiles

/// A request with the access token.
package enum ProtectedCall: Sendable, Hashable {
    /// The dialect's protected request.
    case request
    /// The user's active sessions.
    case sessions
    /// The end of the session of this id.
    case endSession(String)
    /// The user's own request.
    case custom(CustomRequest)
}
