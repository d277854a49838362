package import Profiles

/// The backend's response about the user's active sessions.
package enum SessionListUpdate: Sendable, Hashable, Codable {
    case listed([ListedSession])
    /// The one of this id.
    case ended(String)
    /// Why it did not list the sessions, or did not end one.
    case failed(SessionListFailure)
}

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
