/// Uses a refresh token again at once, and looks at what is left of the session.
struct ReuseProbe: Probe {
    let name = ProbeName.reuse

    /// When the replaced token is used a second time, in seconds: later than any other probe that
    /// uses a successor first.
    private static let control = 2.0

    func cost(_ options: CheckOptions) -> ProbeCost {
        ProbeCost(logins: 1, refreshes: 5, requests: 7, seconds: options.isQuick ? 2 : 3)
    }

    func skip(_ record: CheckRecord, _ options: CheckOptions) -> SkipReason? {
        record.unlessRefreshed
    }

    func script(of probeSession: ProbeSession, _ record: CheckRecord) -> [Step] {
        let begin: [Step] = [.login, .refresh(1), .refresh(1)]
        guard let replay = probeSession[2] else { return begin }
        if probeSession.firstRotation == .unchanged {
            return begin + [.refresh(1).after(CheckRecord.nextSecond, from: 1)]
        }
        guard probeSession.firstRotation == .new else { return begin }
        if replay.isRefusal { return begin + afterRefusal(of: probeSession, record) }
        var steps = begin + [.refresh(1).after(Self.control, from: 1)]
        if probeSession[3] != nil, case .new? = replay.issued?.refresh { steps.append(.refresh(2)) }
        return steps
    }

    /// Looks several times, since a revocation can take a moment.
    private func afterRefusal(of probeSession: ProbeSession, _ record: CheckRecord) -> [Step] {
        var steps: [Step] = record.features.hasProtected ? [.use(2)] : []
        let delays = record.options.isQuick ? [0.3, 1] : [0.3, 1, 3]
        for delay in delays {
            let isDead = probeSession.statesAfterReplay.contains { !$0.refreshLives }
            guard !isDead || probeSession.results.count > 3 + steps.count else { break }
            steps.append(.refresh().after(delay, from: 2))
        }
        return steps
    }

    func verdicts(from probeSessions: [ProbeSession], _ record: CheckRecord) -> [Verdict] { [] }
}

extension CheckOptions {
    /// Whether nothing is waited for longer than a few seconds.
    var isQuick: Bool { !probes.contains(.window) }
}
