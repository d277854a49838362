import Dialects

extension Fault {
    /// The token was made and is valid; only the answer does not hold it.
    package static let missingRefreshToken = Fault(
        name: "missing-refresh-token",
        summary: "the new refresh token is left out",
        kinds: [.refresh],
        decided: { exchange, _, _ in
            guard case .refreshIssued(var facts)? = exchange.answer else { return }
            facts.refresh = nil
            exchange.answer = .refreshIssued(facts)
        }
    )
}
