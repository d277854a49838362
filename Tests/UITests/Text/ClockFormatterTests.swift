import FoundationEssentials
import Testing

@testable import UI

@Suite("Text: clock")
struct ClockFormatterTests {
    /// 2025-11-21 14:02:11.004 UTC.
    static let date = Date(timeIntervalSince1970: 1_763_733_731.004)

    @Test(
        "the time of day in a zone",
        arguments: [
            (0, "14:02:11"), (3_600, "15:02:11"), (-54_000, "23:02:11"), (19_800, "19:32:11"),
        ]
    )
    func time(offset: Int, message: String) {
        #expect(ClockFormatter(utcOffsetSeconds: offset).time(Self.date) == message)
    }

    @Test("milliseconds carry into the second")
    func milliseconds() {
        let formatter = ClockFormatter(utcOffsetSeconds: 0)
        #expect(formatter.timeWithMilliseconds(Self.date) == "14:02:11.004")
        let almost = Date(timeIntervalSince1970: 1_763_733_731.9996)
        #expect(formatter.timeWithMilliseconds(almost) == "14:02:12.000")
    }

    @Test(
        "the day where it is another one",
        arguments: [
            (60, "14:03:11"), (86_400, "22 Nov 14:02"), (-86_400 * 21, "31 Oct 14:02"),
            (86_400 * 30, "21 Dec 14:02"), (86_400 * 99, "28 Feb 2026"),
            (86_400 * 831, "1 Mar 2028"), (86_400 * 830, "29 Feb 2028"),
        ] as [(Double, String)]
    )
    func when(later: Double, message: String) {
        let date = Self.date.addingTimeInterval(later)
        #expect(ClockFormatter(utcOffsetSeconds: 0).when(date, now: Self.date) == message)
    }

    @Test("the day turns at the zone's midnight")
    func midnight() {
        let evening = Date(timeIntervalSince1970: 1_763_733_731 + 36_000)
        #expect(ClockFormatter(utcOffsetSeconds: 0).when(evening, now: Self.date) == "22 Nov 00:02")
        #expect(
            ClockFormatter(utcOffsetSeconds: -7_200).when(evening, now: Self.date) == "22:02:11"
        )
    }

    @Test("no date is too far", arguments: [-1e300, 1e300, Double.nan, .infinity, -62_135_596_800])
    func extremes(seconds: Double) {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(!ClockFormatter(utcOffsetSeconds: 50_400).when(date, now: Self.date).isEmpty)
    }
}
