/// Leaves before the answer to a refresh, and sends the same refresh token again.
struct LostProbe: Probe {
    let name = ProbeName.lost
    let runsProbeSessionsTogether = true

    private static let delays = [0.5, 5]

    func cost(_ options: CheckOptions) -> ProbeCost {
        options.continuing == name
            ? ProbeCost(logins: 1, refreshes: 2, requests: 3, seconds: 1)
            : ProbeCost(logins: 2, refreshes: 4, requests: 6, seconds: 5)
    }

    func skip(_ record: CheckRecord, _ options: CheckOptions) -> SkipReason? {
        record.unlessRotated
    }

    func probeSessions(given probeSessions: [ProbeSession], _ clock: CheckClock) -> [Double] {
        Self.delays
    }

    func script(of probeSession: ProbeSession, _ record: CheckRecord) -> [Step] {
        [.login, .refreshUnread(1), .refresh(1).after(probeSession.key, from: 1)]
    }

    func verdicts(from probeSessions: [ProbeSession], _ record: CheckRecord) -> [Verdict] {
        // A replay that is refused at once would have been refused here, too.
        let isStrict = record.allProbeSessions.flatMap(\.replays)
            .contains {
                $0.isClean && !$0.isAccepted && $0.age.upperBound <= PolicyFinding.immediate
            }
        return probeSessions.filter(\.isComplete).compactMap { probeSession in
            probeSession[2].map { answer in
                let verdict: LostVerdict =
                    answer.issued == nil ? .lost : isStrict ? .notCommitted : .recovers
                return .lostAnswer(verdict, after: probeSession.key)
            }
        }
    }
}
