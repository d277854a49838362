/// Uses a replaced refresh token after its successor was used: the access token in the first probe session,
/// the refresh token in the second.
struct UntilUsedProbe: Probe {
    let name = ProbeName.untilUsed

    func cost(_ options: CheckOptions) -> ProbeCost {
        ProbeCost(logins: 2, refreshes: 5, requests: 8)
    }

    func skip(_ record: CheckRecord, _ options: CheckOptions) -> SkipReason? {
        record.unlessAccepted
    }

    func probeSessions(given probeSessions: [ProbeSession], _ clock: CheckClock) -> [Double] {
        clock.options.continuing == name ? [1] : [0, 1]
    }

    func script(of probeSession: ProbeSession, _ record: CheckRecord) -> [Step] {
        guard probeSession.key == 0 else { return [.login, .refresh(1), .refresh(2), .refresh(1)] }
        return record.features.hasProtected ? [.login, .refresh(1), .use(2), .refresh(1)] : []
    }

    func verdicts(from probeSessions: [ProbeSession], _ record: CheckRecord) -> [Verdict] { [] }
}
