import Dialects
import Timekeeping

extension Fault {
    /// By up to an hour, in either direction.
    package static let skewedDate = skewedDate(by: nil)

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
