import Lifecycle
import Testing
import Timekeeping

@Suite("RetryPolicy: how long to wait after a failure")
struct RetryPolicyTests {
    private let policy = RetryPolicy()

    @Test("a delay lies between its floor and its bounds", arguments: 0..<300)
    func bounds(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let lifetime = random.uniform(1...1e6)
        let window = random.uniform(0...lifetime / 2)
        let remaining = random.uniform(0...max(window, 0.001))
        let failures = Int(random.uniform(0...60))
        let delay = policy.delay(
            lifetime: lifetime,
            window: window,
            remaining: remaining,
            failures: failures,
            random: random.uniform(0...1),
            retryAfter: nil
        )
        let floor = min(max(lifetime / 120, 0.25), 5)
        #expect(delay >= floor)
        #expect(delay <= max(floor, min(remaining / 4, 900)))
    }

    @Test(
        "it doubles from a sixteenth of the window",
        arguments: [(0, 2.5), (1, 5.0), (2, 10), (3, 20), (4, 40), (5, 75), (6, 75)]
    )
    func doubles(failures: Int, delay: Double) {
        let actual = policy.delay(
            lifetime: 120,
            window: 40,
            remaining: 300,
            failures: failures,
            random: 1,
            retryAfter: nil
        )
        #expect(actual == delay)
    }

    @Test("jitter takes away half at most", arguments: [(0.0, 5.0), (0.5, 7.5), (1, 10)])
    func jitter(random: Double, delay: Double) {
        let actual = policy.delay(
            lifetime: 120,
            window: 40,
            remaining: 300,
            failures: 2,
            random: random,
            retryAfter: nil
        )
        #expect(actual == delay)
    }

    @Test(
        "a dead access token is renewed after 2, 4, 8 … 60 s, less jitter",
        arguments: [(0, 2.0), (1, 4), (2, 8), (4, 32), (5, 60), (6, 60), (1000, 60)]
    )
    func whenDead(failures: Int, most: Double) {
        #expect(policy.delayOnceExpired(failures: failures, random: 1, retryAfter: nil) == most)
        #expect(policy.delayOnceExpired(failures: failures, random: 0, retryAfter: nil) == most / 2)
    }

    @Test(
        "Retry-After is the minimum, up to an hour",
        arguments: [
            (Double?.none, 2.0, 0.5), (1, 2, 1), (30, 30, 30), (3600, 3600, 3600),
            (1e9, 3600, 3600), (-5, 2, 0.5), (.nan, 2, 0.5), (.infinity, 3600, 3600),
        ]
    )
    func retryAfter(asked: Double?, whenDead: Double, whenGood: Double) {
        #expect(policy.delayOnceExpired(failures: 0, random: 1, retryAfter: asked) == whenDead)
        let usual = policy.delay(
            lifetime: 60,
            window: 0,
            remaining: 0,
            failures: 0,
            random: 0,
            retryAfter: asked
        )
        #expect(usual == whenGood)
    }

    @Test("the last chance leaves time for two round trips and a second")
    func lastChance() {
        #expect(policy.lastChanceLead(roundTrip: 0.3) == 1.6)
    }
}
