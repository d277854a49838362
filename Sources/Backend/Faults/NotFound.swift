import Dialects

extension Fault {
    /// A router that does not know the path: the request is not understood, and nothing was done.
    package static let notFound = Fault(
        name: "not-found",
        summary: "404 in place of acting",
        kinds: ExchangeKind.allCases,
        before: { exchange, _, _ in exchange.response = WireResponse(status: 404) }
    )
}
