/// Refreshes once, and examines both tokens afterwards.
struct RefreshProbe: Probe {
    let name = ProbeName.refresh
    let continuesFamily = true

    func cost(_ options: CheckOptions) -> ProbeCost { ProbeCost(refreshes: 1, requests: 3) }

    func skip(_ record: CheckRecord, _ options: CheckOptions) -> SkipReason? {
        record.hasRefresh ? nil : .noRefreshToken
    }

    func script(of probeSession: ProbeSession, _ record: CheckRecord) -> [Step] {
        [.login, .refresh(1)] + (record.features.hasProtected ? [.use(1), .use(2)] : [])
    }

    func verdicts(from probeSessions: [ProbeSession], _ record: CheckRecord) -> [Verdict] {
        guard let probeSession = probeSessions.first, let refresh = probeSession[1],
            let issued = refresh.issued
        else {
            return []
        }
        var verdicts: [Verdict] = [.rotation(RotationVerdict(issued.refresh))]
        if let old = probeSession[2] { verdicts.append(.oldAccess(lives: old.isSuccess)) }
        if let new = probeSession[3], new.isRefusal {
            verdicts.append(.newAccessRefused(status: new.status))
        }
        if let login = probeSession[0] {
            let comparison = login.facts.compared(with: refresh.facts)
            if !comparison.isEmpty { verdicts.append(.claims(comparison)) }
        }
        if let first = probeSession[0]?.facts.refreshLifetime,
            let next = refresh.facts.refreshLifetime,
            let login = probeSession[0], refresh.facts.refreshSource == login.facts.refreshSource
        {
            // A lifetime that does not slide has become shorter by the time between both answers.
            let passed = refresh.sentAt - login.sentAt
            if passed >= 2 { verdicts.append(.refreshSlides(first - next < passed / 2)) }
        }
        return verdicts
    }
}

extension RotationVerdict {
    init(_ refresh: IssuedGeneration.Refresh) {
        switch refresh {
        case .absent: self = .keepsSilently
        case .unchanged: self = .keeps
        case .repeated, .new: self = .replaces
        }
    }
}
