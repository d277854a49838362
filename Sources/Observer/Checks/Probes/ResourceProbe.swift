/// Refreshes without the resource of the tokens, and for another one (RFC 8707).
struct ResourceProbe: Probe {
    let name = ProbeName.resource

    func cost(_ options: CheckOptions) -> ProbeCost {
        ProbeCost(logins: 1, refreshes: 4, requests: 5)
    }

    func skip(_ record: CheckRecord, _ options: CheckOptions) -> SkipReason? {
        guard record.features.hasResource else { return .notInProfile }
        return record.unlessRefreshed
    }

    /// After each, a refresh as usual shows whether the session has survived it.
    func script(of probeSession: ProbeSession, _ record: CheckRecord) -> [Step] {
        [.login, .refresh(for: .omitted), .refresh(), .refresh(for: .other), .refresh()]
    }

    func verdicts(from probeSessions: [ProbeSession], _ record: CheckRecord) -> [Verdict] {
        guard let probeSession = probeSessions.first, let login = probeSession[0] else { return [] }
        return [1, 3].compactMap { place in
            // Otherwise, the session was lost before.
            guard place == 1 || probeSession[2]?.isSuccess == true,
                let exchange = probeSession[place],
                case .refreshFor(let choice) = exchange.action
            else { return nil }
            let audience = login.facts.audience(comparedWith: exchange.facts)
            return .resource(
                choice,
                ResourceVerdict(
                    isAccepted: exchange.issued != nil,
                    keepsAudience: audience,
                    code: exchange.code,
                    sessionLives: probeSession[place + 1]?.isSuccess
                )
            )
        }
    }
}

extension ProbeAnswerFacts {
    /// Whether a later access token is for the same audience, or `nil` if it states none.
    fileprivate func audience(comparedWith later: ProbeAnswerFacts) -> Bool? {
        let comparison = compared(with: later)
        if comparison.kept.contains(.audience) { return true }
        return comparison.changed.contains(.audience) ? false : nil
    }
}
