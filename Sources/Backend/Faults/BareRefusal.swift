import Dialects

extension Fault {
    /// A proxy refuses in the backend's place, without a body of the dialect's shape.
    package static let bareRefusal = Fault(
        name: "bare-refusal",
        summary: "an empty 401 in place of acting",
        kinds: [.refresh],
        before: { exchange, _, _ in
            guard case .refresh = exchange.request else { return }
            exchange.response = WireResponse(status: 401)
        }
    )
}
