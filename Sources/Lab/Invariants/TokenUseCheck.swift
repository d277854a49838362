import Backend
import Basics
import Client
import Model
import Profiles
import Simulation

/// 11, 12 and 13: a token that lives is given at once, one that does not is never used.
struct TokenUseCheck {
    private let isHealthy: Bool
    private let knowsTruth: Bool
    /// Whether a token that is due is renewed before it is used.
    private let renewsBeforeUse: Bool
    private var isClockSet = false
    private(set) var grants = 0
    private(set) var uses = 0
    private(set) var waits = 0

    init(scenario: Scenario) {
        isHealthy = scenario.kind == .healthy || scenario.kind == .clocks
        renewsBeforeUse = scenario.renewsBeforeUse
        let canBeMisled = scenario.faults.contains { $0.name == "skewed-date" }
        knowsTruth = scenario.evidence == .lifetime || !canBeMisled
    }

    /// After the wall clock was set, the age of a stored pair is unknown.
    mutating func clockWasSet() {
        isClockSet = true
    }

    mutating func sends(
        _ token: AccessToken,
        _ sent: SentRequest,
        _ server: SimulatedServer
    ) -> InvariantViolation.Finding? {
        uses += 1
        // During a pause by the user, an expired token may be sent to see the backend's response.
        guard sent.view.flags.pauses[.user] == nil else { return nil }
        if let usableUntil = sent.view.schedule?.usableUntil, usableUntil <= sent.now {
            return InvariantViolation.Finding(
                .expiredTokenBan,
                "a request leaves with a token past its end"
            )
        }
        guard hasExpired(token, sent.now, server) else { return nil }
        return InvariantViolation.Finding(
            .expiredTokenBan,
            "a request leaves with an expired token"
        )
    }

    mutating func dials(
        _ token: AccessToken,
        _ now: Instant,
        _ server: SimulatedServer
    ) -> InvariantViolation.Finding? {
        uses += 1
        guard hasExpired(token, now, server) else { return nil }
        return InvariantViolation.Finding(
            .expiredTokenBan,
            "the feed is dialed with an expired token"
        )
    }

    private func hasExpired(
        _ token: AccessToken,
        _ now: Instant,
        _ server: SimulatedServer
    ) -> Bool {
        guard knowsTruth, !isClockSet else { return false }
        let seconds = server.clock.serverSeconds(at: now)
        return server.backend.access(token, in: server.policy, at: seconds) == .refused(.expired)
    }

    mutating func handled(_ step: Step) -> InvariantViolation.Finding? {
        switch step.input {
        case .tokenNeeded(let waiter, _, _): return isServed(step, waiter)
        case .protectedEnded(_, let exchange):
            guard isHealthy, case .answered(let answer) = exchange.outcome else { return nil }
            waits += 1
            guard answer == .tokenRejected else { return nil }
            return InvariantViolation.Finding(.availability, "a healthy server refuses a request")
        default: return nil
        }
    }

    private mutating func isServed(_ step: Step, _ waiter: Int) -> InvariantViolation.Finding? {
        guard step.before.state.isLive, step.before.held != nil else { return nil }
        let grant = step.effects.lazy.compactMap { effect -> TokenGrant? in
            guard case .resume(waiter, .success(let grant)) = effect else { return nil }
            return grant
        }.first
        if let grant {
            grants += 1
            guard let end = grant.usableUntil, end <= step.now else { return nil }
            return InvariantViolation.Finding(
                .expiredTokenBan,
                "a caller is given a token past its end"
            )
        }
        if step.before.isUsable(at: step.now) {
            // It renews first where a failed renewal waits for the next use, and is served then.
            if step.before.state.outlook?.hold == .use || renewsBeforeUse { return nil }
            return InvariantViolation.Finding(
                .drainingUntilExpiry,
                "a caller gets no token in \(step.before.state.name), though one is good"
            )
        }
        guard isHealthy else { return nil }
        waits += 1
        return InvariantViolation.Finding(
            .availability,
            "a caller waits though the server is healthy"
        )
    }
}
