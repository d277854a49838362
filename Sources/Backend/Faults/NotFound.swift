import Dialects

extension Fault {
    /// A router that does not know the path: we asked wrongly, and nothing was done.
    package static let notFound = Fault(
        name: "not-found",
        summary: "404 in place of acting",
        kinds: ExchangeKind.allCases,
        before: { exchange, _, _ in exchange.response = WireResponse(status: 404) }
    )
}
