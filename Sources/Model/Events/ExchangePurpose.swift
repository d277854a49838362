/// The purpose of an exchange.
///
/// The raw values are words of JSON lines and of recordings.
package enum ExchangePurpose: String, Sendable, Hashable, Codable, CaseIterable {
    case login
    case refresh
    case logout
    /// It presents an access token.
    case protected
    /// A question about a token (RFC 7662).
    case introspection
    /// A question about the token's user.
    case userinfo
    /// One of the two, of an app.
    case question
    /// The upgrade to a WebSocket.
    case socket
    /// A stream of events, which is a socket that only listens.
    case stream
    /// A question of a browser before a request to another origin (CORS).
    case preflight
    /// None of these, or not known.
    case other

    /// Whether it opens something that stays open with the token that it presented.
    package var isSocket: Bool { self == .socket || self == .stream }

    /// The purpose as an event has it.
    package var inEvents: ExchangePurpose {
        switch self {
        case .question: .introspection
        case .stream: .socket
        case .login, .refresh, .logout, .protected, .introspection, .userinfo, .socket, .preflight,
            .other:
            self
        }
    }

    /// The purposes that an event can have.
    static let allInEvents = allCases.filter { $0.inEvents == $0 }
}
