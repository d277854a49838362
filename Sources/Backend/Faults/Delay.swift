import Dialects
import Timekeeping

extension Fault {
    /// Half of the time before the backend acts, half of the time after it.
    package static let delay = Fault(
        name: "delay",
        summary: "the answer takes 0.2 to 5 seconds longer",
        before: { exchange, _, random in
            let seconds = random.uniform(0.2...5)
            if Bool.random(using: &random) {
                exchange.delayBefore += seconds
            } else {
                exchange.delayAfter += seconds
            }
        }
    )
}
