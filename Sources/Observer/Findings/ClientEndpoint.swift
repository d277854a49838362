import Model

/// An endpoint of a backend, as one client uses it.
struct ClientEndpoint: Hashable, Sendable {
    let client: ObservedClient
    let origin: String
    let endpoint: String

    init(_ exchange: ObservedExchange) {
        client = exchange.client
        origin = exchange.request.origin
        endpoint = exchange.request.endpoint
    }
}
