/// Sends the same refresh on two connections at once, as two tabs of one app do.
struct RaceProbe: Probe {
    let name = ProbeName.race
    let runsLanesTogether = true

    func cost(_ options: CheckOptions) -> ProbeCost {
        let lanes = Self.lanes(options)
        return ProbeCost(
            logins: lanes,
            refreshes: lanes * 4,
            requests: lanes * 5,
            seconds: 1
        )
    }

    private static func lanes(_ options: CheckOptions) -> Int { options.isQuick ? 2 : 5 }

    func skip(_ record: CheckRecord, _ options: CheckOptions) -> SkipReason? {
        record.unlessRotated
    }

    func lanes(given lanes: [Lane], _ clock: CheckClock) -> [Double] {
        (0..<Self.lanes(clock.options)).map(Double.init)
    }

    func script(of lane: Lane, _ record: CheckRecord) -> [Step] {
        let steps: [Step] = [.login, .refreshTwice(1)]
        guard lane[1] != nil, lane.results[1].count == 2 else { return steps }
        let successors = lane.results[1].compactMap(\.issued).filter { $0.refresh == .new }
        return steps + successors.map { .refresh($0.number).after(1, from: 1) }
    }

    func verdicts(from lanes: [Lane], _ record: CheckRecord) -> [Verdict] {
        let races = lanes.filter(\.isComplete).compactMap(\.race)
        // The rarest outcome is the one that a client has to expect.
        guard let worst = races.map(\.verdict).max(by: { $0.severity < $1.severity }) else {
            return []
        }
        return [.race(worst, gap: races.map(\.gap).max() ?? 0)]
    }
}

extension RaceVerdict {
    fileprivate var severity: Int {
        switch self {
        case .same: 0
        case .forks: 1
        case .oneWins: 2
        case .oneDies: 3
        case .bothRefused: 4
        case .winnerDies: 5
        }
    }
}

extension Lane {
    /// What came of two refreshes at once, and the seconds between their beginnings.
    fileprivate var race: (verdict: RaceVerdict, gap: Double)? {
        guard results.count > 1, results[1].count == 2 else { return nil }
        let pair = results[1]
        let gap = abs(pair[0].sentAt - pair[1].sentAt)
        let after = results.dropFirst(2).flatMap(\.self)
        let successors = pair.compactMap(\.issued).filter { $0.refresh == .new }.count
        let winners = pair.filter { $0.issued != nil }.count
        let isDead = after.contains(where: \.isRefusal)
        let verdict: RaceVerdict =
            switch (winners, successors) {
            case (0, _): .bothRefused
            case (1, _): isDead ? .winnerDies : .oneWins
            case (_, 2): isDead ? .oneDies : .forks
            default: isDead ? .oneDies : .same
            }
        return (verdict, gap)
    }
}
