import Basics
import Testing

@Suite("Instant")
struct InstantTests {
    private static let ends = [
        Instant(nanoseconds: .min), Instant(nanoseconds: .min + 1), .origin,
        Instant(nanoseconds: .max - 1), Instant(nanoseconds: .max),
    ]

    private static let distances: [Duration] = [
        .zero, .seconds(Int64.max), .seconds(Int64.min), .nanoseconds(1), .nanoseconds(-1),
        .seconds(4_611_686_018), .seconds(-4_611_686_018),
    ]

    @Test("no sum or difference traps, however far apart", arguments: ends, distances)
    func arithmeticIsClamped(instant: Instant, duration: Duration) {
        if duration > .zero {
            #expect(instant + duration >= instant)
            #expect(instant - duration <= instant)
        } else {
            #expect(instant + duration <= instant)
            #expect(instant - duration >= instant)
        }
    }

    @Test("no distance traps, and its sign is right", arguments: ends, ends)
    func distance(left: Instant, right: Instant) {
        #expect((left - right > .zero) == (left > right))
        #expect((left.seconds(since: right) > 0) == (left > right))
        #expect((left - right == .zero) == (left == right))
    }

    @Test("within reach, sums and differences are exact to the nanosecond")
    func exact() {
        let instant = Instant.origin + .nanoseconds(1_500_000_001)
        #expect(instant.nanoseconds == 1_500_000_001)
        #expect(instant - .origin == .nanoseconds(1_500_000_001))
        #expect(instant - .seconds(2) < .origin)
        #expect(instant.advanced(bySeconds: -0.5) == Instant(nanoseconds: 1_000_000_001))
    }

    @Test(
        "seconds that are no number, or too many, are clamped",
        arguments: [
            (Double.nan, Int64(0)), (.infinity, 4_611_686_018_000_000_000),
            (-.infinity, -4_611_686_018_000_000_000), (1e300, 4_611_686_018_000_000_000),
            (0.25, 250_000_000),
        ]
    )
    func clampedSeconds(seconds: Double, nanoseconds: Int64) {
        #expect(Instant.origin.advanced(bySeconds: seconds).nanoseconds == nanoseconds)
        #expect(Duration(clampingSeconds: seconds).nanoseconds == nanoseconds)
    }

    @Test(
        "a duration is told in whole nanoseconds, clamped to about 146 years",
        arguments: [
            (Duration.seconds(1), Int64(1_000_000_000)), (.milliseconds(-1500), -1_500_000_000),
            (.seconds(Int64.max), 4_611_686_018_000_000_000),
            (.seconds(Int64.min), -4_611_686_018_000_000_000),
            // More seconds than 64 bits hold.
            (.seconds(Int64.max) * 4, 4_611_686_018_000_000_000),
            (.seconds(Int64.min) * 4, -4_611_686_018_000_000_000),
        ]
    )
    func wholeNanoseconds(duration: Duration, nanoseconds: Int64) {
        #expect(duration.nanoseconds == nanoseconds)
        #expect(duration.inSeconds == Double(nanoseconds) / 1e9)
    }
}
