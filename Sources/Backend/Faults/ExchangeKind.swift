package import Dialects

/// What an exchange is for, as far as a fault may be restricted to it.
package enum ExchangeKind: String, Sendable, Hashable, CaseIterable, Codable {
    case login
    case refresh
    /// The list of sessions, and the end of one of them, are such.
    case protected
    case logout
    /// The dial of a feed, and what happens on its socket.
    case feed

    package init(_ request: RecognisedRequest) {
        switch request {
        case .login: self = .login
        case .refresh: self = .refresh
        case .protected, .sessions, .endSession: self = .protected
        case .logout: self = .logout
        case .feed: self = .feed
        }
    }
}

extension [ExchangeKind] {
    /// All that are one request and one answer.
    package static var requests: [ExchangeKind] { [.login, .refresh, .protected, .logout] }
}
