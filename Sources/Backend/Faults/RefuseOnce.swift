import Dialects

extension Fault {
    /// A backend that does not know the token yet, or a worker whose clock runs ahead.
    package static let refuseOnce = Fault(
        name: "refuse-once",
        summary: "a live access token is refused",
        before: { exchange, _, _ in
            switch exchange.request {
            case .protected, .feed: exchange.answer = .unauthorized(.expired)
            case .login, .refresh, .logout, .sessions: break
            }
        }
    )
}
