import Profiles

/// Asks for nothing, to learn whether the backend answers and what its clock says.
struct ReachProbe: Probe {
    let name = ProbeName.reach

    func cost(_ options: CheckOptions) -> ProbeCost { ProbeCost(requests: 1) }

    func script(of probeSession: ProbeSession, _ record: CheckRecord) -> [Step] { [.reach] }

    func verdicts(from probeSessions: [ProbeSession], _ record: CheckRecord) -> [Verdict] {
        probeSessions.first?[0]?.facts.clock.map { [.clock($0)] } ?? []
    }
}
