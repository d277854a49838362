/// Leaves before the answer to a refresh, and sends the same refresh token again.
struct LostProbe: Probe {
    let name = ProbeName.lost
    let runsLanesTogether = true

    private static let delays = [0.5, 5]

    func cost(_ options: CheckOptions) -> ProbeCost {
        options.continuing == name
            ? ProbeCost(logins: 1, refreshes: 2, requests: 3, seconds: 1)
            : ProbeCost(logins: 2, refreshes: 4, requests: 6, seconds: 5)
    }

    func skip(_ record: CheckRecord, _ options: CheckOptions) -> SkipReason? {
        record.unlessRotated
    }

    func lanes(given lanes: [Lane], _ clock: CheckClock) -> [Double] { Self.delays }

    func script(of lane: Lane, _ record: CheckRecord) -> [Step] {
        [.login, .refreshUnread(1), .refresh(1).after(lane.key, from: 1)]
    }

    func verdicts(from lanes: [Lane], _ record: CheckRecord) -> [Verdict] {
        // A replay that is refused at once would have been refused here, too.
        let isStrict = record.allLanes.flatMap(\.replays)
            .contains {
                $0.isClean && !$0.isAccepted && $0.age.upperBound <= PolicyFinding.immediate
            }
        return lanes.filter(\.isComplete).compactMap { lane in
            lane[2].map { answer in
                let verdict: LostVerdict =
                    answer.issued == nil ? .lost : isStrict ? .notCommitted : .recovers
                return .lostAnswer(verdict, after: lane.key)
            }
        }
    }
}
