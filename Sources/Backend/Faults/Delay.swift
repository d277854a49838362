import Dialects
import Timekeeping

extension Fault {
    /// Half of the time before the backend acts, half of the time after it.
    package static let delay = delayed(by: nil)

    private static func delayed(by chosen: Double?) -> Fault {
        Fault(
            name: "delay",
            summary: "the answer takes 0.2 to 5 s longer",
            parameter: FaultParameter(.seconds, 0...600),
            before: { exchange, _, random in
                let seconds = chosen ?? random.uniform(0.2...5)
                if Bool.random(using: &random) {
                    exchange.delayBefore += seconds
                } else {
                    exchange.delayAfter += seconds
                }
            },
            setting: { delayed(by: $0) }
        )
    }
}
