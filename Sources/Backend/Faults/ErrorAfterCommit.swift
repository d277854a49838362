import Dialects

extension Fault {
    /// A gateway gives up on a backend that had acted: an error page hides a success.
    package static let errorAfterCommit = errorAfterCommit(status: nil)

    private static func errorAfterCommit(status chosen: Double?) -> Fault {
        Fault(
            name: "error-after-commit",
            summary: "the backend acts, and 502 or 504 comes back",
            parameter: .serverStatus,
            written: { exchange, _, random in
                let drawn = Bool.random(using: &random) ? 502 : 504
                exchange.response = WireResponse(status: chosen.map { Int($0) } ?? drawn)
            },
            setting: { errorAfterCommit(status: $0) }
        )
    }
}
