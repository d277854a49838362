import Basics
import Testing

@Suite("The time that may be spent on what others cause")
struct TimeAllowanceTests {
    @Test("half a second at once, and then a tenth of all time")
    func share() {
        var allowance = TimeAllowance()
        var now = Instant.origin
        var spent = Duration.zero
        func pass(_ time: Duration) -> Duration {
            let end = now + time
            let before = spent
            while now < end {
                if allowance.isLeft(at: now) {
                    allowance.spend(.milliseconds(10))
                    spent += .milliseconds(10)
                    now = now + .milliseconds(10)
                }
                now = now + .milliseconds(5)
            }
            return spent - before
        }
        let first = pass(.seconds(1))
        #expect(first > .milliseconds(500) && first < .milliseconds(650))
        let later = pass(.seconds(10))
        #expect(later > .milliseconds(900) && later < .milliseconds(1_100))
        // What is not used is kept up to the limit.
        now = now + .seconds(3_600)
        let again = pass(.seconds(1))
        #expect(again > .milliseconds(500) && again < .milliseconds(650))
    }
}
