import Basics
import Client
import Model
import Testing

@Suite("RenewalPolicy: when to refresh")
struct RenewalPolicyTests {
    private static let minute = 60.0
    private static let hour = 3600.0
    private static let day = 86_400.0

    private static func deadline(_ lifetime: Double, skewWidth: Double = 0) -> Deadline {
        Deadline(
            at: Instant.origin.advanced(bySeconds: lifetime),
            lifetime: Duration(clampingSeconds: lifetime),
            expiry: Expiry(seconds: lifetime, source: .lifetime, skewWidth: skewWidth)
        )
    }

    private static func schedule(
        _ access: Deadline,
        extendable: Deadline? = nil,
        lead: Double? = nil,
        spread: Double = 0,
        roundTrip: Double = 0.3,
        jitter: Double = 0,
        isSpread: Bool = true
    ) -> (refreshAt: Double, usableUntil: Double) {
        let schedule = RenewalPolicy(leadOverride: lead, spread: spread).schedule(
            access: access,
            extendable: extendable,
            roundTrip: roundTrip,
            jitter: jitter,
            isSpread: isSpread
        )
        return (
            schedule.refreshAt.seconds(since: .origin), schedule.usableUntil.seconds(since: .origin)
        )
    }

    /// Lifetime, refresh token's lifetime, instant of the refresh, retry window.
    private static let table: [(Double, Double?, Double, Double)] = [
        (5, nil, 3.333, 1.167),
        (15, nil, 10, 3.9),
        (60, nil, 48, 10.9),
        (15 * minute, nil, 12 * minute, 178.9),
        (30 * minute, nil, 25 * minute, 298.9),
        (24 * hour, nil, 23 * hour + 31.2 * minute, 28.78 * minute),
        (30 * day, 30 * day, 29 * day, 24 * hour - 1.1),
    ]

    @Test("the table of the design comes out", arguments: table)
    func design(lifetime: Double, refresh: Double?, refreshAt: Double, window: Double) {
        let schedule = Self.schedule(
            Self.deadline(lifetime),
            extendable: refresh.map { Self.deadline($0) }
        )
        #expect(abs(schedule.refreshAt - refreshAt) < 0.01)
        #expect(abs(schedule.usableUntil - schedule.refreshAt - window) < 0.5)
    }

    @Test("jitter makes a renewal earlier, by a tenth of the lead at most")
    func jitter() {
        #expect(Self.schedule(Self.deadline(60), jitter: 1).refreshAt == 46.8)
        #expect(Self.schedule(Self.deadline(60), jitter: 0.5).refreshAt == 47.4)
    }

    @Test(
        "the renewals of many sessions are spread, over half of what is left of a lifetime at most",
        arguments: [(0.0, 46.8), (0.5, 46.8), (10, 38), (60, 24)]
    )
    func spread(spread: Double, earliest: Double) {
        #expect(Self.schedule(Self.deadline(60), spread: spread, jitter: 0).refreshAt == 48)
        #expect(Self.schedule(Self.deadline(60), spread: spread, jitter: 1).refreshAt == earliest)
        let next = Self.schedule(Self.deadline(60), spread: spread, jitter: 1, isSpread: false)
        #expect(next.refreshAt == 46.8)
    }

    @Test(
        "a lead of the profile's own is granted up to half the lifetime",
        arguments: [(300.0, 900.0, 600.0), (300, 60, 30), (0, 60, 57.5), (-5, 60, 57.5)]
    )
    func override(lead: Double, lifetime: Double, refreshAt: Double) {
        let schedule = Self.schedule(Self.deadline(lifetime), lead: lead, roundTrip: 1)
        #expect(schedule.refreshAt == refreshAt)
        #expect(schedule.refreshAt <= schedule.usableUntil)
    }

    @Test("a slow backend and a doubtful clock are given more time, up to half the lifetime")
    func slowBackend() {
        #expect(Self.schedule(Self.deadline(60), roundTrip: 5).refreshAt == 40)
        #expect(Self.schedule(Self.deadline(60), roundTrip: 10).refreshAt == 30)
        #expect(Self.schedule(Self.deadline(60, skewWidth: 10), roundTrip: 1).refreshAt == 46)
    }

    @Test("the guard before the end follows round trip and clocks, up to a tenth of the lifetime")
    func guardTime() {
        #expect(Self.schedule(Self.deadline(60), roundTrip: 1).usableUntil == 57.5)
        #expect(Self.schedule(Self.deadline(60, skewWidth: 2), roundTrip: 1).usableUntil == 55.5)
        #expect(Self.schedule(Self.deadline(5), roundTrip: 1).usableUntil == 4.5)
    }

    @Test(
        "a refresh token that ends earlier, and can be extended, is renewed at nine tenths",
        arguments: [(100.0, 90.0), (30 * day, 29 * day), (7 * day, 7 * day - 60_480)]
    )
    func refreshTokenEnds(lifetime: Double, refreshAt: Double) {
        let schedule = Self.schedule(
            Self.deadline(60 * Self.day),
            extendable: Self.deadline(lifetime)
        )
        #expect(schedule.refreshAt == refreshAt)
    }

    @Test(
        "a refresh token is extended no earlier than the profile's lead before its end",
        arguments: [
            (300.0, 30 * day, 30 * day - 300), (300.0, 100.0, 90.0),
            (2 * day, 30 * day, 28 * day),
        ] as [(Double, Double, Double)]
    )
    func leadOfTheProfile(lead: Double, lifetime: Double, refreshAt: Double) {
        let schedule = Self.schedule(
            Self.deadline(30 * Self.day),
            extendable: Self.deadline(lifetime),
            lead: lead
        )
        #expect(schedule.refreshAt == refreshAt)
    }

    @Test("the refresh token's end never makes a renewal later")
    func refreshTokenLasts() {
        let schedule = Self.schedule(Self.deadline(60), extendable: Self.deadline(6000))
        #expect(schedule.refreshAt == 48)
    }

    @Test("for any lifetime, soft comes before hard and hard before the end", arguments: 0..<200)
    func ordered(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let lifetime = random.uniform(-10...100) * random.uniform(0...1e6)
        let schedule = Self.schedule(
            Self.deadline(lifetime, skewWidth: random.uniform(0...10)),
            extendable: random.uniform(0...1) < 0.5
                ? Self.deadline(random.uniform(-10...1e7)) : nil,
            lead: random.uniform(0...1) < 0.2 ? random.uniform(-10...1e4) : nil,
            roundTrip: random.uniform(0.2...10),
            jitter: random.uniform(0...1)
        )
        #expect(schedule.refreshAt <= schedule.usableUntil)
        #expect(schedule.usableUntil <= lifetime + 1e-6)
        #expect(schedule.refreshAt.isFinite)
    }
}
