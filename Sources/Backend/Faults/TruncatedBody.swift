import Dialects
import Timekeeping

extension Fault {
    /// The status arrives and the body does not: what was decided is anybody's guess.
    package static let truncatedBody = Fault(
        name: "truncated-body",
        summary: "the body ends in the middle",
        written: { exchange, _, random in
            guard exchange.delivery == .whole, let body = exchange.response?.body else { return }
            let last = max(0, body.count - 1)
            exchange.delivery = .cut(after: Int.random(in: 0...last, using: &random))
        }
    )
}
