/// Uses an access token before and after its stated end, and then the refresh token.
struct ExpiryProbe: Probe {
    let name = ProbeName.expiry

    /// Seconds after the stated end.
    private static let offsets: [Double] = [-1, 1, 5, 30]

    func cost(_ options: CheckOptions) -> ProbeCost {
        ProbeCost(logins: 1, refreshes: 1, requests: 6, seconds: Self.longest(options))
    }

    /// The longest life that is waited for, in seconds.
    private static func longest(_ options: CheckOptions) -> Double { max(options.maxWait - 35, 0) }

    func skip(_ record: CheckRecord, _ options: CheckOptions) -> SkipReason? {
        guard record.features.hasProtected else { return .notInProfile }
        let lifetime = record.complete(.login).first?[0]?.facts.accessLifetime
        return lifetime.map { $0 > Self.longest(options) } ?? true ? .livesTooLong : nil
    }

    func script(of probeSession: ProbeSession, _ record: CheckRecord) -> [Step] {
        guard let lifetime = probeSession[0]?.facts.accessLifetime else { return [.login] }
        var steps: [Step] = [.login]
        for offset in Self.offsets {
            steps.append(.use(1).after(max(lifetime + offset, 0), from: 0))
            if probeSession[steps.count - 1]?.isRefusal ?? false { break }
        }
        return steps + (record.canRefresh ? [.refresh(1)] : [])
    }

    func verdicts(from probeSessions: [ProbeSession], _ record: CheckRecord) -> [Verdict] {
        guard let probeSession = probeSessions.first, probeSession.isComplete,
            let login = probeSession[0],
            let lifetime = login.facts.accessLifetime
        else { return [] }
        let uses = probeSession.exchanges.filter {
            if case .use = $0.action { $0.isTelling(record) } else { false }
        }
        let accepted = uses.filter(\.isSuccess).map { $0.sentAt - login.endedAt - lifetime }
        let refused = uses.filter(\.isRefusal).map { $0.endedAt - login.sentAt - lifetime }
        var verdicts: [Verdict] = [.accessEnd(low: accepted.max(), high: refused.min())]
        if let refresh = probeSession.exchanges.last, case .refresh = refresh.action {
            verdicts.append(.refreshAfterExpiry(refresh.issued != nil))
        }
        return verdicts
    }
}
