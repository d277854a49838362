/// Logs in, and reads what the answer says of its tokens.
struct LoginProbe: Probe {
    let name = ProbeName.login

    /// Opaque tokens with less randomness can be guessed (RFC 6749 section 10.10): 128 bits are 22
    /// characters of base64.
    static let shortestOpaque = 22

    func cost(_ options: CheckOptions) -> ProbeCost {
        let logins = options.sendsWrongPassword ? 2 : 1
        return ProbeCost(logins: logins, requests: logins)
    }

    func script(of probeSession: ProbeSession, _ record: CheckRecord) -> [Step] {
        record.options.sendsWrongPassword ? [.login, .loginWrong] : [.login]
    }

    func verdicts(from probeSessions: [ProbeSession], _ record: CheckRecord) -> [Verdict] {
        guard let facts = probeSessions.first?[0]?.facts, probeSessions.first?.isComplete == true
        else { return [] }
        var verdicts: [Verdict] = []
        if let seconds = facts.accessLifetime, let source = facts.accessSource {
            verdicts.append(.accessLifetime(seconds, source))
        } else {
            verdicts.append(.noLifetime)
        }
        if let seconds = facts.refreshLifetime, let source = facts.refreshSource {
            verdicts.append(.refreshLifetime(seconds, source))
        }
        if facts.expiriesDisagree { verdicts.append(.expiriesDisagree) }
        if !facts.isUncacheable { verdicts.append(.cacheable) }
        if !facts.openCookies.isEmpty { verdicts.append(.openCookies(facts.openCookies)) }
        if let bytes = facts.shortestToken, bytes < Self.shortestOpaque {
            verdicts.append(.shortToken(bytes: bytes))
        }
        if let wrong = probeSessions.first?[1], wrong.action == .loginWrong {
            verdicts.append(
                wrong.issued == nil
                    ? .wrongPassword(status: wrong.status, code: wrong.code)
                    : .acceptsWrongPassword
            )
        }
        return verdicts
    }
}
