import Basics
import Model
import Profiles

/// The end of the check's own sessions: what no probe needs any more is logged out, beside the probes
/// if a logout is known to leave other sessions alone, and else after them.
extension CheckMachine {
    /// A session that no probe needs any more.
    struct UnneededFamily: Sendable {
        let family: ProbeFamily
        /// The number of times that its logout was sent.
        var tries = 0
    }

    /// The number of times that a logout is sent that the backend has no time for.
    private static let logoutLimit = 3

    struct FinalLogout {
        let effects: [CheckEffect]
        /// When there is more to send.
        let next: Instant?
    }

    /// Takes over the families of a probe that is over, but not those that it has logged out, and not the
    /// one that it hands on.
    mutating func release(_ probeSessions: [ProbeSession], of probe: any Probe) {
        let handsOn = ProbeName.sharedFamilyProbes.contains(probe.name)
        for probeSession in probeSessions where !(handsOn && probeSession.isComplete) {
            let loggedOut = probeSession.exchanges.compactMap { exchange -> Int? in
                guard case .logout(_, let family) = exchange.action, exchange.isSuccess else {
                    return nil
                }
                return family
            }
            release(probeSession.families.filter { !loggedOut.contains($0.key) })
        }
    }

    /// Takes over the families of an attempt that a probe session has given up.
    mutating func release(_ families: [Int: ProbeFamily]) {
        guard record.features.logoutScopes.contains(.this) else {
            record.sessions.left += families.count
            return
        }
        unneededFamilies += families.sorted { $0.key < $1.key }
            .map { UnneededFamily(family: $0.value) }
    }

    /// Sends the next logout, unless something of a probe is due soon.
    mutating func finalLogout(before due: Instant?, at now: Moment) -> FinalLogout? {
        let isQuiet = due.map { $0.seconds(since: now.now) > 2 * options.interval } ?? true
        guard !unneededFamilies.isEmpty, isQuiet, mayLogOut else { return nil }
        let free = max(nextSend, pausedUntil)
        guard free <= now.now else { return FinalLogout(effects: [], next: free) }
        var unneeded = unneededFamilies.removeFirst()
        var effects: [CheckEffect] = []
        if let wire = logout(of: unneeded.family) {
            lastRequest += 1
            unneeded.tries += 1
            finalLogouts[lastRequest] = unneeded
            effects = [.send(CheckRequest(id: lastRequest, request: wire))]
            nextSend = now.now.advanced(bySeconds: options.interval)
        } else {
            record.sessions.left += 1
        }
        return FinalLogout(
            effects: effects,
            next: unneededFamilies.isEmpty ? nil : max(nextSend, now.now)
        )
    }

    /// Whether a logout can be sent without a probe taking its effects for something else.
    private var mayLogOut: Bool {
        groups.isEmpty
            || record.results[.logout]?.verdicts.contains { verdict in
                if case .logout(let logout) = verdict { logout.othersLive == true } else { false }
            } ?? false
    }

    mutating func recordFinalLogout(
        _ outcome: Outcome<WireResponse>,
        of unneeded: UnneededFamily,
        at now: Moment
    ) {
        guard case .answered(let response) = outcome else {
            record.sessions.left += 1
            return
        }
        let decision = dialect.decideLogout(response)
        switch decision.meaning {
        // A token that is not known any more has no session.
        case .acknowledged, .tokenUnknown: record.sessions.ended += 1
        case .failed:
            let seconds = response.secondsToWait(receivedAt: now.wall) ?? options.interval
            guard decision.rule == .neverTerminal, unneeded.tries < Self.logoutLimit,
                seconds <= Self.longestWait
            else {
                record.sessions.left += 1
                return
            }
            pausedUntil = max(pausedUntil, now.now.advanced(bySeconds: seconds))
            unneededFamilies.append(unneeded)
        }
    }
}
