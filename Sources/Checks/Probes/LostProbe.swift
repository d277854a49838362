/// Leaves before the answer to a refresh, and sends the same refresh token again.
struct LostProbe: Probe {
    let name = ProbeName.lost
    let runsLanesTogether = true

    private static let delays = [0.5, 5]

    func cost(_ options: CheckOptions) -> ProbeCost {
        ProbeCost(logins: 2, refreshes: 4, requests: 6, seconds: 5)
    }

    func skip(_ record: CheckRecord, _ options: CheckOptions) -> SkipReason? {
        record.unlessRotated
    }

    func lanes(given lanes: [Lane], _ clock: CheckClock) -> [Double] { Self.delays }

    func script(of lane: Lane, _ record: CheckRecord) -> [Step] {
        [.login, .refreshUnread(1), .refresh(1).after(lane.key, from: 1)]
    }

    func verdicts(from lanes: [Lane], _ record: CheckRecord) -> [Verdict] {
        lanes.filter(\.isComplete).compactMap { lane in
            lane[2].map { .lostAnswer(recovers: $0.issued != nil, after: lane.key) }
        }
    }
}
