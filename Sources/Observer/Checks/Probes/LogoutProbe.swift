import Profiles

/// Logs one session out, and looks at what is left of it and of another.
struct LogoutProbe: Probe {
    let name = ProbeName.logout

    func cost(_ options: CheckOptions) -> ProbeCost {
        options.continuing == name
            ? ProbeCost(logins: 1, refreshes: 1, requests: 5)
            : ProbeCost(logins: 2, refreshes: 2, requests: 8)
    }

    func skip(_ record: CheckRecord, _ options: CheckOptions) -> SkipReason? {
        record.features.logoutScopes.contains(.this) ? nil : .notInProfile
    }

    func script(of probeSession: ProbeSession, _ record: CheckRecord) -> [Step] {
        let isOnlySession = record.options.continuing == name
        func other(_ steps: [Step]) -> [Step] { isOnlySession ? [] : steps }
        var steps: [Step] = [.login] + other([.login(family: 1)]) + [.logout(.this)]
        if record.features.hasProtected { steps += [.use(1)] + other([.use(1, family: 1)]) }
        if record.canRefresh {
            steps += [.refresh(1)] + other([.refresh(1, family: 1)]) + [.logoutUnknown]
        }
        return steps
    }

    func verdicts(from probeSessions: [ProbeSession], _ record: CheckRecord) -> [Verdict] {
        guard let probeSession = probeSessions.first, probeSession.isComplete else { return [] }
        guard probeSession.hasLoggedOut else {
            let refusal = probeSession.exchanges.first { exchange in
                if case .logout = exchange.action { exchange.isRefusal } else { false }
            }
            return refusal.map { [.logoutRefused(status: $0.status)] } ?? []
        }
        var verdict = LogoutVerdict()
        var verdicts: [Verdict] = []
        for exchange in probeSession.exchanges where exchange.isTelling(record) {
            switch exchange.action {
            case .use(_, 0): verdict.accessLives = exchange.isSuccess
            case .refresh(_, 0): verdict.refreshLives = exchange.isSuccess
            // An access token may outlive its session.
            case .use, .refresh:
                verdict.othersLive = (verdict.othersLive ?? true) && exchange.isSuccess
            case .logoutUnknown: verdicts.append(.unknownLogout(status: exchange.status))
            case .reach, .login, .loginWrong, .warm, .refreshTwice, .refreshUnread, .refreshWith,
                .refreshFor, .refreshWithoutNonce, .useWith,
                .logout,
                .dial, .dialWith, .dialExpired, .watch:
                break
            }
        }
        return [.logout(verdict)] + verdicts
    }
}

extension CheckExchange {
    /// Whether it shows if a session lives: not a request with an access token where none is
    /// accepted, or whose answer is about something else.
    func isTelling(_ record: CheckRecord) -> Bool {
        guard case .use = action else { return true }
        return isSuccess || isRefusal && record.acceptsAccess
    }
}

extension ProbeSession {
    /// Whether a logout was acknowledged: one that was refused ends nothing.
    var hasLoggedOut: Bool {
        exchanges.contains { exchange in
            if case .logout = exchange.action { exchange.isSuccess } else { false }
        }
    }
}
