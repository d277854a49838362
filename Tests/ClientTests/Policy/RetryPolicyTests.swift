import Basics
import Client
import Model
import Testing

@Suite("RetryPolicy: how long to wait after a failure")
struct RetryPolicyTests {
    private let policy = RetryPolicy()

    @Test(
        "it doubles from a sixteenth of the window, up to 15 min",
        arguments: [(0, 2.5), (1, 5.0), (2, 10), (3, 20), (8, 640), (9, 900), (1000, 900)]
    )
    func doubles(failures: Int, delay: Double) {
        #expect(wait(window: 40, failures: failures) == delay)
    }

    @Test(
        "the first one is half a second to 5 s, and 2 s if no expiry is known",
        arguments: [(0.0, 0.5), (8, 0.5), (10.9, 0.68125), (40, 2.5), (86_400, 5), (nil, 2)]
            as [(Double?, Double)]
    )
    func first(window: Double?, delay: Double) {
        #expect(wait(window: window, failures: 0) == delay)
    }

    @Test("once the access token has expired, it goes on to double, up to a minute")
    func whenExpired() {
        let waits = (0..<8).map { wait(window: 40, failures: $0, isExpired: true) }
        #expect(waits == [2.5, 5, 10, 20, 40, 60, 60, 60])
    }

    @Test("jitter takes away half at most", arguments: [(0.0, 5.0), (0.5, 7.5), (1, 10)])
    func jitter(random: Double, delay: Double) {
        #expect(wait(window: 40, failures: 2, random: random) == delay)
    }

    @Test("no wait is shorter than the one before, whatever the jitter, until the limit")
    func grows() {
        for failures in 0..<8 {
            let longest = wait(window: 40, failures: failures, random: 1)
            let next = wait(window: 40, failures: failures + 1, random: 0)
            #expect(next >= longest)
        }
    }

    @Test(
        "Retry-After is the minimum, up to an hour",
        arguments: [
            (Double?.none, 2.0), (1, 2), (30, 30), (3600, 3600), (1e9, 3600), (-5, 2), (.nan, 2),
            (.infinity, 3600),
        ]
    )
    func retryAfter(asked: Double?, expected: Double) {
        let wait = policy.delay(
            window: nil,
            failures: 0,
            isExpired: true,
            random: 1,
            retryAfter: asked
        )
        #expect(wait == expected)
    }

    @Test("the last chance leaves time for two round trips and a second")
    func lastChance() {
        #expect(policy.lastChanceLead(roundTrip: 0.3) == 1.6)
    }

    private func wait(
        window: Double?,
        failures: Int,
        isExpired: Bool = false,
        random: Double = 1
    ) -> Double {
        policy.delay(
            window: window,
            failures: failures,
            isExpired: isExpired,
            random: random,
            retryAfter: nil
        )
    }
}
