import FoundationEssentials
import Testing

@testable import Basics

@Suite("A shiftable timekeeper")
struct ShiftableTimekeeperTests {
    @Test("is off on the wall alone, by what it is shifted to")
    func shifts() {
        let base = VirtualTimekeeper()
        let time = ShiftableTimekeeper(base)
        #expect(time.moment == base.moment)
        time.shift(to: 300)
        time.shift(to: -60)
        #expect(time.shift == -60)
        #expect(time.now == base.now)
        #expect(time.wall.timeIntervalSince(base.wall) == -60)
        #expect(time.moment.wall == time.wall)
        time.shift(to: 0)
        #expect(time.moment == base.moment)
    }

    @Test("goes on with the other's clocks, and tells how long the machine was suspended")
    func follows() {
        let base = SuspendedTimekeeper()
        let time = ShiftableTimekeeper(base)
        time.shift(to: 60)
        #expect(time.moment.suspended == .seconds(7))
    }

    @Test("sleeps until an instant, whatever the wall clock shows")
    func sleeps() async throws {
        let base = VirtualTimekeeper()
        let time = ShiftableTimekeeper(base)
        let sleeper = Task { try await time.sleep(until: base.now + .seconds(5)) }
        await base.waitForSleepers()
        time.shift(to: 300)
        #expect(base.nextDeadline == base.now + .seconds(5))
        base.advance(by: .seconds(5))
        try await sleeper.value
    }
}

private struct SuspendedTimekeeper: Timekeeper {
    var now: Instant { .origin }
    var wall: Date { Date(timeIntervalSince1970: 0) }
    var suspended: Duration? { .seconds(7) }
    func sleep(until deadline: Instant) async throws {}
}
