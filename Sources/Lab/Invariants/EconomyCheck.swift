import Basics
import Client
import Model
import Profiles
import Simulation

/// 14 and 20: requests to a healthy server are no more frequent than lifetimes require, with any
/// number of processes; those to an absent server become rarer.
struct EconomyCheck {
    private let scenario: Scenario
    /// The shortest time between two renewals, or `nil` if nothing is guaranteed.
    private let period: Double?
    private var family = ""
    private var beganAt = Instant.origin
    private var refreshes = 0
    private var outage: (from: Instant, until: Instant)?
    private var tries: [Int: Int] = [:]
    private(set) var checked = 0

    init(scenario: Scenario) {
        self.scenario = scenario
        period = Self.period(scenario)
    }

    private static func period(_ scenario: Scenario) -> Double? {
        guard [.healthy, .siblings, .clocks].contains(scenario.kind) else { return nil }
        // A timestamp is as precise as the offset of the server's clock: the whole second of its
        // `Date`, and the round trip.
        let trip = 2 * scenario.transit.upperBound
        let skewWidth = scenario.evidence == .timestamp ? 1 + trip : 0
        let lifetime = scenario.accessLifetime - skewWidth
        let lead = RenewalPolicy().lead(
            lifetime: lifetime,
            roundTrip: max(1, trip),
            skewWidth: skewWidth
        )
        var period = lifetime - 1.1 * lead
        if scenario.rotation == .always, scenario.refreshSlides {
            let refresh = scenario.refreshLifetime - skewWidth
            period = min(period, refresh - min(refresh / 10, 86_400))
        }
        return period > 1.2 ? period - 1 : nil
    }

    mutating func sends(_ sent: SentRequest) -> InvariantViolation.Finding? {
        guard let period, let held = sent.view.held else { return nil }
        if held.family != family {
            family = held.family
            beganAt = sent.now.advanced(bySeconds: -scenario.accessLifetime)
            refreshes = 0
        }
        refreshes += 1
        checked += 1
        let seconds = sent.now.seconds(since: beganAt)
        // One early refresh for each refresh token that may be extended; each process that was
        // killed during a refresh may send one more.
        let spare = scenario.rotation == .maybe ? 1 : 0
        let limit = Int((seconds / period).rounded(.up)) + 1 + spare
        guard refreshes > limit else { return nil }
        return InvariantViolation.Finding(
            scenario.kind == .siblings ? .siblings : .economy,
            "\(refreshes) renewals in \(ElapsedFormatter.text(seconds)), at most \(limit) are needed"
        )
    }

    mutating func outageBegins(_ now: Instant, until end: Instant) {
        outage = (now, end)
        tries = [:]
    }

    /// Each process by itself: none of them knows what another one tried.
    mutating func tried(_ process: Int, _ now: Instant) -> InvariantViolation.Finding? {
        guard scenario.kind == .outages, scenario.attempts == nil, let outage, now <= outage.until
        else { return nil }
        tries[process, default: 0] += 1
        checked += 1
        let seconds = outage.until.seconds(since: outage.from)
        let limit = RetryPolicy.budget + 1 + 6 + Int((seconds / 30).rounded(.up))
        guard tries[process, default: 0] > limit else { return nil }
        return InvariantViolation.Finding(
            .economy,
            "more than \(limit) tries in an outage of \(ElapsedFormatter.text(seconds))"
        )
    }
}
