/// Sends the same refresh on two open connections at once, as two tabs of one app do.
struct RaceProbe: Probe {
    let name = ProbeName.race
    let runsProbeSessionsTogether = true

    /// The time between both requests above which a race is repeated, in seconds.
    private static let widestGap = 0.005

    func cost(_ options: CheckOptions) -> ProbeCost {
        let probeSessions =
            options.continuing == name ? 1 : Self.probeSessions(options) + Self.repetitions(options)
        return ProbeCost(
            logins: probeSessions,
            refreshes: probeSessions * 4,
            requests: probeSessions * 7,
            seconds: 1
        )
    }

    private static func probeSessions(_ options: CheckOptions) -> Int { options.isQuick ? 2 : 5 }
    private static func repetitions(_ options: CheckOptions) -> Int { options.isQuick ? 1 : 2 }

    func skip(_ record: CheckRecord, _ options: CheckOptions) -> SkipReason? {
        record.unlessRotated
    }

    func probeSessions(given probeSessions: [ProbeSession], _ clock: CheckClock) -> [Double] {
        let wide = probeSessions.count { probeSession in
            probeSession.isComplete && probeSession.race.map { $0.gap > Self.widestGap } ?? false
        }
        let count =
            Self.probeSessions(clock.options) + min(wide, Self.repetitions(clock.options))
        return (0..<max(count, probeSessions.count)).map(Double.init)
    }

    func script(of probeSession: ProbeSession, _ record: CheckRecord) -> [Step] {
        // At once, while the connections are open.
        let steps: [Step] = [.login, .warm, .refreshTwice(1).after(0, from: 1)]
        guard probeSession[2] != nil, probeSession.results[2].count == 2 else { return steps }
        let successors = probeSession.results[2].compactMap(\.issued).filter { $0.refresh == .new }
        return steps + successors.map { .refresh($0.number).after(1, from: 2) }
    }

    func verdicts(from probeSessions: [ProbeSession], _ record: CheckRecord) -> [Verdict] {
        let all = probeSessions.filter(\.isComplete).compactMap(\.race)
        let races =
            Self.isServerErrorOfRaces(all, record)
            ? all : all.filter { $0.verdict != .serverError }
        guard !races.isEmpty || all.isEmpty else { return [.raceUnclear] }
        // The rarest outcome is the one that a client has to expect.
        guard let worst = races.map(\.verdict).max(by: { $0.severity < $1.severity }) else {
            return []
        }
        let gaps = races.filter { $0.verdict == worst }.map(\.gap)
        return [.race(worst, gap: gaps.min() ?? 0)]
    }

    /// Whether races bring 5xx, and nothing else does: a backend that is in trouble fails otherwise,
    /// too.
    private static func isServerErrorOfRaces(
        _ races: [(verdict: RaceVerdict, gap: Double)],
        _ record: CheckRecord
    ) -> Bool {
        guard races.count(where: { $0.verdict == .serverError }) > 1 else { return false }
        return !record.exchanges.contains { exchange in
            if case .refreshTwice = exchange.action { false } else { exchange.isServerError }
        }
    }
}

extension RaceVerdict {
    fileprivate var severity: Int {
        switch self {
        case .same: 0
        case .forks: 1
        case .oneWins: 2
        case .serverError: 3
        case .oneDies: 4
        case .bothRefused: 5
        case .winnerDies: 6
        }
    }
}

extension ProbeSession {
    /// The result of two refreshes at once, and the seconds between their beginnings.
    fileprivate var race: (verdict: RaceVerdict, gap: Double)? {
        guard results.count > 2, results[2].count == 2 else { return nil }
        let pair = results[2]
        let gap = abs(pair[0].sentAt - pair[1].sentAt)
        let after = results.dropFirst(3).flatMap(\.self)
        let successors = pair.compactMap(\.issued).filter { $0.refresh == .new }.count
        let winners = pair.filter { $0.issued != nil }.count
        let isDead = after.contains(where: \.isRefusal)
        let verdict: RaceVerdict =
            switch (winners, successors) {
            case _ where pair.contains(where: \.isServerError):
                isDead ? .winnerDies : .serverError
            case (0, _): .bothRefused
            case (1, _): isDead ? .winnerDies : .oneWins
            case (_, 2): isDead ? .oneDies : .forks
            default: isDead ? .oneDies : .same
            }
        return (verdict, gap)
    }
}
