/// Sends the protected request with the access token, and with what is none.
struct AcceptProbe: Probe {
    let name = ProbeName.accept
    let continuesFamily = true

    private static let bad: [BadToken] = [.empty, .malformed, .otherKind]

    func cost(_ options: CheckOptions) -> ProbeCost { ProbeCost(requests: 4) }

    func skip(_ record: CheckRecord, _ options: CheckOptions) -> SkipReason? {
        record.features.hasProtected ? nil : .notInProfile
    }

    func script(of probeSession: ProbeSession, _ record: CheckRecord) -> [Step] {
        let bad = Self.bad.filter { $0 != .otherKind || record.hasRefresh }
        return [.login, .use(1)] + bad.map { .use(with: $0) }
    }

    func verdicts(from probeSessions: [ProbeSession], _ record: CheckRecord) -> [Verdict] {
        probeSessions.flatMap(\.exchanges).compactMap { exchange in
            guard case .useWith(let token) = exchange.action else { return nil }
            switch exchange.outcome {
            case .accepted, .issued: return .acceptsBadAccess(token)
            case .refused, .closed, .unclear:
                return exchange.status.map { .accessRefusal(token, status: $0) }
            }
        }
    }
}
