import Dialects

extension Fault {
    /// A backend that does not know the token yet, or a worker whose clock runs ahead.
    package static let unauthorized = Fault(
        name: "unauthorized",
        summary: "a live access token is refused (401)",
        kinds: [.protected, .feed],
        before: { exchange, _, _ in
            switch exchange.request {
            case .protected, .sessions, .endSession, .feed:
                exchange.answer = .unauthorized(.expired)
            case .login, .refresh, .logout: break
            }
        }
    )
}
