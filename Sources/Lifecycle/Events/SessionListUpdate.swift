package import Dialects

/// What the backend says of the user's active sessions.
package enum SessionListUpdate: Sendable, Hashable {
    case listed([ListedSession])
    /// The one of this id.
    case ended(String)
    /// It gave no list, or ended none: why.
    case failed(SessionListFailure)
}

/// What a request with the access token asks for.
package enum ProtectedCall: Sendable, Hashable {
    /// The dialect's protected request, whatever it answers.
    case request
    /// The user's active sessions.
    case sessions
    /// The end of the session of this id.
    case endSession(String)
    /// Whatever a person asks for.
    case custom(CustomRequest)
}
