import Dialects

extension Fault {
    /// A gateway gives up on a backend that had acted: an error page hides a success.
    package static let errorAfterCommit = Fault(
        name: "error-after-commit",
        summary: "the backend acts, and 502 or 504 comes in place of its answer",
        written: { exchange, _, random in
            let status = Bool.random(using: &random) ? 502 : 504
            exchange.response = WireResponse(status: status)
        }
    )
}
