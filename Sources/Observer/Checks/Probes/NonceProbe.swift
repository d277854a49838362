/// Refreshes with a proof that has no nonce, and then with the nonce that the server has sent (RFC 9449
/// section 8).
struct NonceProbe: Probe {
    let name = ProbeName.nonce

    func cost(_ options: CheckOptions) -> ProbeCost {
        ProbeCost(logins: 1, refreshes: 2, requests: 3)
    }

    func skip(_ record: CheckRecord, _ options: CheckOptions) -> SkipReason? {
        guard record.features.hasProofs else { return .notInProfile }
        return record.unlessRefreshed
    }

    func script(of probeSession: ProbeSession, _ record: CheckRecord) -> [Step] {
        [.login, .refreshWithoutNonce, .refresh()]
    }

    func verdicts(from probeSessions: [ProbeSession], _ record: CheckRecord) -> [Verdict] {
        guard let first = probeSessions.first?[1] else { return [] }
        guard first.isRefusal else { return first.issued == nil ? [] : [.nonce(.notRequired)] }
        guard let second = probeSessions.first?[2] else { return [] }
        if second.issued != nil { return [.nonce(.leavesToken)] }
        // A server that refuses every refresh does not show what the challenge does.
        let isOtherwiseAccepted = record.exchanges.contains { exchange in
            exchange.probe != name && exchange.action.isRefresh && exchange.issued != nil
        }
        return second.isRefusal && isOtherwiseAccepted ? [.nonce(.spendsToken)] : []
    }
}
