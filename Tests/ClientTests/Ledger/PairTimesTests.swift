import Basics
import FoundationEssentials
import Model
import Testing

@testable import Client

@Suite("PairTimes")
struct PairTimesTests {
    private static let sentAt = Moment(
        now: .origin.advanced(bySeconds: 40),
        wall: Date(timeIntervalSince1970: 1_000)
    )

    private static func times(access: Double?, refresh: Double?) -> PairTimes<Moment, Deadline> {
        let earlier = Moment(now: .origin, wall: Date(timeIntervalSince1970: 960))
        func deadline(_ seconds: Double?, _ sentAt: Moment) -> Deadline? {
            seconds.map { Deadline(Expiry(seconds: $0, source: .lifetime), sentAt: sentAt.now) }
        }
        return PairTimes(
            issuedAt: sentAt,
            refreshIssuedAt: earlier,
            beganAt: earlier,
            access: deadline(access, sentAt),
            refresh: deadline(refresh, earlier)
        )
    }

    @Test(
        "a record that is read by the clock that wrote it gives the same moments and deadlines",
        arguments: [60.0, nil],
        [3_600.0, nil]
    )
    func same(access: Double?, refresh: Double?) {
        let times = Self.times(access: access, refresh: refresh)
        let later = Moment(
            now: Self.sentAt.now.advanced(bySeconds: 10),
            wall: Self.sentAt.wall.addingTimeInterval(10)
        )
        let clock = StoredTimes(savedAt: Self.sentAt.wall, now: later)
        #expect(times.onWallClock.onProcessClock(clock.moment) == times)
    }

    @Test("a clock that started later gives the same remaining times, each from its own request")
    func otherProcess() throws {
        let now = Moment(now: .origin, wall: Self.sentAt.wall.addingTimeInterval(5))
        let clock = StoredTimes(savedAt: Self.sentAt.wall, now: now)
        let read = Self.times(access: 60, refresh: 3_600).onWallClock
            .onProcessClock(clock.moment)
        let access = try #require(read.access).at.seconds(since: now.now)
        let refresh = try #require(read.refresh).at.seconds(since: now.now)
        #expect(abs(access - 55) < 0.001)
        #expect(abs(refresh - (3_600 - 45)) < 0.001)
    }
}
