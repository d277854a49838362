import Basics
import FoundationEssentials
import Testing

@Suite("Moment")
struct MomentTests {
    private let moment = Moment(
        now: .origin + .seconds(100),
        wall: Date(timeIntervalSince1970: 1_000_000)
    )

    @Test("an instant has the wall time that the clock will show then")
    func wallTime() {
        let later = moment.wallTime(at: .origin + .seconds(160))
        #expect(later == Date(timeIntervalSince1970: 1_000_060))
    }

    @Test("a wall time has the instant at which the clock will show it")
    func instant() {
        let date = Date(timeIntervalSince1970: 999_950)
        #expect(moment.instant(at: date) == .origin + .seconds(50))
    }

    @Test("a date of another age is clamped", arguments: [Date.distantPast, .distantFuture])
    func farAway(date: Date) {
        let instant = moment.instant(at: date)
        #expect((instant > moment.now) == (date > moment.wall))
    }
}
