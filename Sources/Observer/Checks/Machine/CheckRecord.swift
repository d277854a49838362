import Profiles

/// The findings of a check so far.
struct CheckRecord: Sendable {
    /// Whether the profile has what a probe needs.
    let features: Features
    let options: CheckOptions
    var exchanges: [CheckExchange] = []
    var results: [ProbeName: ProbeResult] = [:]
    /// The requests that were sent.
    var sent = ProbeCost()
    /// The answers that decided nothing.
    var failures = 0
    /// The result of the check's own sessions.
    var sessions = OwnSessions()
    /// The last message of the backend.
    var lastMessage: String?
    private(set) var probeSessions: [ProbeName: [ProbeSession]] = [:]

    struct Features: Sendable {
        /// Whether the profile has a refresh.
        let hasRefresh: Bool
        let hasProtected: Bool
        let hasFeed: Bool
        let hasResource: Bool
        /// Whether its tokens are bound to a key.
        let hasProofs: Bool
        let logoutScopes: Set<LogoutScope>
    }

    init(_ dialect: Dialect, _ options: CheckOptions) {
        self.options = options
        features = Features(
            hasRefresh: dialect.hasRefreshToken,
            hasProtected: dialect.hasProtectedRequest,
            hasFeed: dialect.hasFeed,
            hasResource: dialect.resource != nil,
            hasProofs: dialect.bindsTokens,
            logoutScopes: Set(dialect.logoutScopes.filter(dialect.namesSession))
        )
    }

    mutating func skip(_ name: ProbeName, _ reason: SkipReason) {
        results[name] = ProbeResult(name: name, state: .skipped(reason))
    }

    mutating func finish(_ name: ProbeName, probeSessions: [ProbeSession], seconds: Double) {
        self.probeSessions[name] = probeSessions
        let failure = probeSessions.lazy
            .compactMap { probeSession -> UnclearAnswer? in
                if case .failed(let answer) = probeSession.phase { answer } else { nil }
            }
            .first
        let isAnyComplete = probeSessions.contains(where: \.isComplete)
        results[name] = ProbeResult(
            name: name,
            state: isAnyComplete ? .done : .inconclusive(failure),
            evidence: probeSessions.flatMap(\.exchanges).map(\.number).sorted(),
            seconds: seconds
        )
    }

    mutating func count(_ action: CheckAction) {
        switch action {
        // Imported tokens are not sent for.
        case .login where options.logins == .imported: return
        case .login, .loginWrong: sent.logins += 1
        case .refresh, .refreshTwice, .refreshUnread, .refreshWith, .refreshFor,
            .refreshWithoutNonce:
            sent.refreshes += 1
        case .reach, .warm, .use, .useWith, .logout, .logoutUnknown, .dial, .dialWith, .dialExpired:
            break
        case .watch: return
        }
        sent.requests += 1
    }

    /// Whether there are refresh tokens: the profile has a refresh, and not every login so far has
    /// brought an access token alone.
    var hasRefresh: Bool {
        let logins = exchanges.filter(\.action.isLogin).compactMap(\.issued)
        let isWithout = !logins.isEmpty && logins.allSatisfy { $0.refresh == .absent }
        return features.hasRefresh && !isWithout
    }

    /// Whether a refresh token was refused at its first use, and no refresh has brought anything: then the
    /// refusal of any other says nothing of what was done to it.
    private var refusesRefreshes: Bool {
        complete(.refresh).contains { $0[1]?.isRefusal == true }
            && !exchanges.contains { $0.action.isRefresh && $0.issued != nil }
    }

    /// Why there is nothing to find out by refreshes, or `nil`.
    var unlessRefreshed: SkipReason? {
        guard hasRefresh else { return .noRefreshToken }
        return refusesRefreshes ? .refreshRefused : nil
    }

    /// Whether a refresh shows if a session lives.
    var canRefresh: Bool { unlessRefreshed == nil }

    /// Whether any access token was accepted: otherwise, the refusal of one says nothing of what was done
    /// to it.
    var acceptsAccess: Bool {
        exchanges.contains { exchange in
            if case .use = exchange.action { exchange.isSuccess } else { false }
        }
    }

    /// The probe sessions of a probe that were completed.
    func complete(_ name: ProbeName) -> [ProbeSession] {
        (probeSessions[name] ?? []).filter(\.isComplete)
    }

    /// The probe sessions of all probes, whose exchanges are evidence as far as they go.
    var allProbeSessions: [ProbeSession] { ProbeName.allCases.flatMap { probeSessions[$0] ?? [] } }

    /// The time after which a token that is made of the time differs from the one before, in seconds.
    static let nextSecond = 1.1

    /// Whether the backend makes refresh tokens of the time, so that those of one second are equal.
    var makesTokensOfTime: Bool { allProbeSessions.contains(where: \.showsTokensOfTime) }

    /// The probe sessions whose exchanges show which refresh token came when: not those with equal
    /// tokens of one second.
    var comparableSessions: [ProbeSession] { allProbeSessions.filter { !$0.showsTokensOfTime } }
}

/// The number of a check's own sessions that are over, and of those that it could not log out.
package struct OwnSessions: Sendable, Hashable {
    /// Logged out at the end, or no longer known to the backend then.
    package internal(set) var ended = 0
    package internal(set) var left = 0
}

/// The result of a probe.
package struct ProbeResult: Sendable {
    package enum State: Sendable, Hashable {
        case done
        case skipped(SkipReason)
        /// No probe session was completed.
        case inconclusive(UnclearAnswer?)
    }

    package let name: ProbeName
    package let state: State
    package internal(set) var verdicts: [Verdict] = []
    /// The numbers of the exchanges that it rests on.
    package var evidence: [Int] = []
    package var seconds = 0.0
}

/// The result of a check.
package struct CheckReport: Sendable {
    let plan: CheckPlan
    package let sent: ProbeCost
    /// The answers that decided nothing, after which a request was repeated.
    package let failures: Int
    package let sessions: OwnSessions
    package let policy: PolicyFinding
    package let probes: [ProbeResult]
    package let exchanges: [CheckExchange]
    package let failure: CheckFailure?

    init(_ record: CheckRecord, plan: CheckPlan, failure: CheckFailure?) {
        self.plan = plan
        self.failure = failure
        sent = record.sent
        sessions = record.sessions
        failures = record.failures
        policy = PolicyFinding(record)
        probes = plan.probes.compactMap { record.results[$0.name] }
        exchanges = record.exchanges
    }

    var verdicts: [Verdict] { probes.flatMap(\.verdicts) }

    /// Whether a replaced token was watched for as long as a window may last.
    package var watchesWindow: Bool { plan.probes.contains { $0.name == .window } }

    /// Why the policy is not known although it was asked for, if the backend has not answered.
    package var unanswered: UnclearAnswer? {
        guard failure == nil, policy.name == .inconclusive(.unanswered) else { return nil }
        return probes.lazy
            .compactMap { probe -> UnclearAnswer? in
                guard ProbeName.policyProbes.contains(probe.name),
                    case .inconclusive(let answer) = probe.state
                else { return nil }
                return answer
            }
            .first
    }
}
