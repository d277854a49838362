/// Refreshes once, and examines both tokens afterwards.
struct RefreshProbe: Probe {
    let name = ProbeName.refresh
    let continuesFamily = true

    func cost(_ options: CheckOptions) -> ProbeCost { ProbeCost(refreshes: 2, requests: 4) }

    func skip(_ record: CheckRecord, _ options: CheckOptions) -> SkipReason? {
        record.hasRefresh ? nil : .noRefreshToken
    }

    func script(of probeSession: ProbeSession, _ record: CheckRecord) -> [Step] {
        let isRefused = probeSession[1]?.isRefusal == true
        let uses: [Step] = record.features.hasProtected && !isRefused ? [.use(1), .use(2)] : []
        // The same token may come again because it is made of nothing but the user and the second.
        let again: [Step] =
            probeSession.firstRotation == .unchanged
            ? [.refresh(1).after(CheckRecord.nextSecond, from: 1)] : []
        return [.login, .refresh(1)] + uses + again
    }

    func verdicts(from probeSessions: [ProbeSession], _ record: CheckRecord) -> [Verdict] {
        guard let probeSession = probeSessions.first, let refresh = probeSession[1] else {
            return []
        }
        guard let issued = refresh.issued else {
            return refresh.isRefusal
                ? [.refreshRefused(status: refresh.status, code: refresh.code)] : []
        }
        var verdicts: [Verdict] = [
            .rotation(
                probeSession.showsTokensOfTime ? .replaces : RotationVerdict(issued.refresh)
            )
        ]
        // What is refused before a refresh and after it does not die by it.
        if let old = probeSession[2], old.isSuccess || old.isRefusal && record.acceptsAccess {
            verdicts.append(.oldAccess(lives: old.isSuccess))
        }
        switch probeSession[3]?.outcome {
        case .refused?: verdicts.append(.newAccessRefused(status: probeSession[3]?.status))
        case .unclear(.challenged(let code))?: verdicts.append(.challenged(code: code))
        case .issued?, .accepted?, .closed?, .unclear?, nil: break
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
