/// Uses replaced refresh tokens at different ages, each of a family of its own.
struct WindowProbe: Probe {
    let name = ProbeName.window
    let runsProbeSessionsTogether = true

    private static let ages: [Double] = [
        2, 5, 10, 15, 20, 30, 45, 60, 65, 90, 120, 180, 240, 300,
    ]
    private static let refinements = 4
    /// The number of times that a token is used again at once, in the first probe session: a window
    /// may end by a count.
    private static let burst = 5
    /// The width that is not divided further, in seconds.
    private static let narrow = 1.5

    func cost(_ options: CheckOptions) -> ProbeCost {
        if options.continuing == name {
            let refreshes = Self.ages(options).count + 2
            return ProbeCost(
                logins: 1,
                refreshes: refreshes,
                requests: refreshes + 1,
                seconds: options.maxWait
            )
        }
        let probeSessions = Self.ages(options).count + Self.refinements
        return ProbeCost(
            logins: probeSessions + 1,
            refreshes: probeSessions * 3 + Self.burst + 1,
            requests: probeSessions * 4 + Self.burst + 2,
            seconds: options.maxWait
        )
    }

    func skip(_ record: CheckRecord, _ options: CheckOptions) -> SkipReason? {
        if let reason = record.unlessAccepted { return reason }
        return PolicyFinding(record).endsByUse ? .noWindow : nil
    }

    private static func ages(_ options: CheckOptions) -> [Double] {
        ages.filter { $0 <= options.maxWait }
            + (ages.contains(options.maxWait) ? [] : [options.maxWait])
    }

    func probeSessions(given probeSessions: [ProbeSession], _ clock: CheckClock) -> [Double] {
        // Without successors, the uses of one token do not affect each other.
        if clock.isSilent { return [clock.options.maxWait] }
        // The first probeSession uses its token several times, the others use theirs once.
        let ages = [0] + Self.ages(clock.options)
        guard probeSessions.count == ages.count else {
            return probeSessions.isEmpty ? ages : probeSessions.map(\.key)
        }
        return ages + refined(probeSessions, clock)
    }

    /// Returns ages between the last that was accepted and the first that was refused.
    private func refined(_ probeSessions: [ProbeSession], _ clock: CheckClock) -> [Double] {
        guard let high = probeSessions.filter(\.isReplayRefused).map(\.key).min(),
            probeSessions.allSatisfy({ $0.key >= high || $0.isOver })
        else { return [] }
        let low =
            probeSessions.filter { $0.key < high && $0.isReplayAccepted }.map(\.key).max() ?? 0
        guard high - low > Self.narrow else { return [] }
        let step = (high - low) / Double(Self.refinements + 1)
        return (1...Self.refinements).map { low + Double($0) * step }
            .filter { clock.now + $0 + 3 + clock.options.endingOfFeed <= clock.options.budget }
    }

    /// The first refusal decides: later ones may have another cause.
    func drops(_ probeSession: ProbeSession, given probeSessions: [ProbeSession]) -> Bool {
        guard probeSession[2] == nil else { return false }
        return probeSessions.contains { $0.isReplayRefused && $0.key < probeSession.key }
    }

    func script(of probeSession: ProbeSession, _ record: CheckRecord) -> [Step] {
        if record.isSilent || record.options.continuing == name {
            return script(ofOnly: probeSession, record)
        }
        if probeSession.key == 0 { return script(ofBurst: probeSession) }
        let steps: [Step] = [.login, .refresh(1), .refresh(1).after(probeSession.key, from: 1)]
        guard probeSession[2]?.isRefusal == true else { return steps }
        return steps + [Step.refresh(2).after(1, from: 2).optional()]
    }

    private func script(ofBurst probeSession: ProbeSession) -> [Step] {
        var steps: [Step] = [.login, .refresh(1)]
        for _ in 0..<Self.burst {
            steps.append(.refresh(1))
            guard let replay = probeSession[steps.count - 1], !replay.isRefusal else { break }
        }
        return steps
    }

    /// One session at all ages, until the first refusal: nothing that a replay brings is used before.
    private func script(ofOnly probeSession: ProbeSession, _ record: CheckRecord) -> [Step] {
        var steps: [Step] = [.login, .refresh(1)]
        for age in Self.ages(record.options) {
            steps.append(.refresh(1).after(age, from: 1))
            guard let replay = probeSession[steps.count - 1] else { return steps }
            if replay.isRefusal {
                return record.isSilent
                    ? steps : steps + [Step.refresh(2).after(1, from: steps.count - 1).optional()]
            }
        }
        return steps
    }

    func verdicts(from probeSessions: [ProbeSession], _ record: CheckRecord) -> [Verdict] { [] }
}

extension ProbeSession {
    fileprivate var isReplayRefused: Bool { self[2]?.isRefusal ?? false }
    fileprivate var isReplayAccepted: Bool { self[2]?.issued != nil }
}
