/// Refreshes with what is no refresh token, to learn how refusals look.
struct ErrorsProbe: Probe {
    let name = ProbeName.errors
    let continuesFamily = true

    func cost(_ options: CheckOptions) -> ProbeCost { ProbeCost(refreshes: 4, requests: 4) }

    func skip(_ record: CheckRecord, _ options: CheckOptions) -> SkipReason? {
        record.hasRefresh ? nil : .noRefreshToken
    }

    func script(of probeSession: ProbeSession, _ record: CheckRecord) -> [Step] {
        [.login] + BadToken.allCases.map { .refresh(with: $0) }
    }

    func verdicts(from probeSessions: [ProbeSession], _ record: CheckRecord) -> [Verdict] {
        probeSessions.flatMap(\.exchanges).compactMap { exchange in
            guard case .refreshWith(let token) = exchange.action else { return nil }
            guard exchange.issued == nil else { return .acceptsBadRefresh(token) }
            return .refreshError(token, status: exchange.status, code: exchange.code)
        }
    }
}
