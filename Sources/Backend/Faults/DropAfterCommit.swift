import Dialects

extension Fault {
    /// The backend has acted and the client never learns of it: what spends one-time tokens.
    package static let dropAfterCommit = Fault(
        name: "drop-after-commit",
        summary: "the backend acts, and its answer is lost",
        written: { exchange, _, _ in
            if exchange.delivery == .whole { exchange.delivery = .dropped }
        }
    )
}
