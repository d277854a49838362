import Profiles

/// Logs all sessions of the user out, and looks at what is left of another one.
struct LogoutAllProbe: Probe {
    let name = ProbeName.logoutAll

    func cost(_ options: CheckOptions) -> ProbeCost {
        ProbeCost(logins: 2, refreshes: 1, requests: 5)
    }

    func skip(_ record: CheckRecord, _ options: CheckOptions) -> SkipReason? {
        record.features.logoutScopes.contains(.everywhere) ? nil : .notInProfile
    }

    func script(of probeSession: ProbeSession, _ record: CheckRecord) -> [Step] {
        var steps: [Step] = [.login, .login(family: 1), .logout(.everywhere)]
        if record.features.hasProtected { steps.append(.use(1, family: 1)) }
        if record.canRefresh { steps.append(.refresh(1, family: 1)) }
        return steps
    }

    func verdicts(from probeSessions: [ProbeSession], _ record: CheckRecord) -> [Verdict] {
        guard let probeSession = probeSessions.first, probeSession.isComplete,
            probeSession.hasLoggedOut
        else { return [] }
        var verdict = LogoutAllVerdict()
        for exchange in probeSession.exchanges where exchange.isTelling(record) {
            switch exchange.action {
            case .use: verdict.accessLives = exchange.isSuccess
            case .refresh: verdict.refreshLives = exchange.isSuccess
            case .reach, .login, .loginWrong, .warm, .refreshTwice, .refreshUnread, .refreshWith,
                .refreshFor, .refreshWithoutNonce,
                .useWith,
                .logout,
                .logoutUnknown, .dial, .dialWith, .dialExpired, .watch:
                break
            }
        }
        return [.logoutAll(verdict)]
    }
}
