import Dialects

/// Logs one session out, and looks at what is left of it and of another.
struct LogoutProbe: Probe {
    let name = ProbeName.logout

    func cost(_ options: CheckOptions) -> ProbeCost {
        ProbeCost(logins: 2, refreshes: 1, requests: 7)
    }

    func skip(_ record: CheckRecord, _ options: CheckOptions) -> SkipReason? {
        record.features.logoutScopes.contains(.this) ? nil : .notInProfile
    }

    func script(of lane: Lane, _ record: CheckRecord) -> [Step] {
        var steps: [Step] = [.login, .login(family: 1), .logout(.this)]
        if record.features.hasProtected { steps += [.use(1), .use(1, family: 1)] }
        if record.features.hasRefresh { steps += [.refresh(1), .logoutUnknown] }
        return steps
    }

    func verdicts(from lanes: [Lane], _ record: CheckRecord) -> [Verdict] {
        guard let lane = lanes.first, lane.isComplete else { return [] }
        var verdict = LogoutVerdict()
        var verdicts: [Verdict] = []
        for exchange in lane.exchanges {
            switch exchange.action {
            case .use(_, 0): verdict.accessLives = exchange.isSuccess
            case .use: verdict.othersLive = exchange.isSuccess
            case .refresh: verdict.refreshLives = exchange.isSuccess
            case .logoutUnknown: verdicts.append(.unknownLogout(status: exchange.status))
            case .reach, .login, .refreshTwice, .refreshUnread, .refreshWith, .useWith, .logout:
                break
            }
        }
        return [.logout(verdict)] + verdicts
    }
}
