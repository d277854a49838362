package import Tokens

/// The requests about the user's other sessions.
extension Dialect {
    /// `nil` where the backend does not list them.
    package func sessionsRequest(_ token: AccessToken) -> WireRequest? {
        sessions.map { $0.request.filled(tokens: [($0.place, token.secret)]) }
    }

    /// `nil` where the backend ends no single session, or the id is none that a path can name.
    package func endSessionRequest(_ token: AccessToken, id: String) -> WireRequest? {
        sessions?.end?.request(token, id: id)
    }

    /// Whether the backend ends a single session by its id.
    package var endsSessions: Bool { sessions?.end != nil }
}
