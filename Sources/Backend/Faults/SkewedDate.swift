import Dialects
import Timekeeping

extension Fault {
    /// By up to an hour, in either direction.
    package static let skewedDate = Fault(
        name: "skewed-date",
        summary: "the answer's Date is wrong by up to an hour",
        written: { exchange, _, random in
            exchange.clockSkew += random.uniform(-3600...3600)
        }
    )
}
