import Basics
import Profiles

extension Fault {
    /// Loses the response after the backend has acted, which spends one-time tokens.
    package static let dropAfterCommit = Fault(
        name: "drop-after-commit",
        summary: "the backend acts, and its answer is lost",
        written: { exchange, _, _ in
            if exchange.delivery == .whole { exchange.delivery = .dropped }
        }
    )

    /// Responds like a gateway that times out on a backend that has acted: an error page hides a
    /// success.
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

    /// Cuts off the body after the status has arrived: the client cannot know what was decided.
    package static let truncatedBody = Fault(
        name: "truncated-body",
        summary: "the body ends in the middle",
        written: { exchange, _, random in
            guard exchange.delivery == .whole, let body = exchange.response?.body else { return }
            let last = max(0, body.count - 1)
            exchange.delivery = .cut(after: Int.random(in: 0...last, using: &random))
        }
    )

    /// Shifts the response's `Date` by up to an hour, in either direction.
    static let skewedDate = skewedDate(by: nil)

    private static func skewedDate(by chosen: Double?) -> Fault {
        Fault(
            name: "skewed-date",
            summary: "the answer's Date is wrong by up to 1 h",
            parameter: FaultParameter(.seconds, -31_536_000...31_536_000),
            written: { exchange, _, random in
                exchange.clockSkew += chosen ?? random.uniform(-3600...3600)
            },
            setting: { skewedDate(by: $0) }
        )
    }
}
