/// The name of a probe, as the user writes it.
package enum ProbeName: String, Sendable, Hashable, CaseIterable, Comparable {
    case reach
    case login
    case accept
    case refresh
    case errors
    case reuse
    case depth
    case untilUsed = "until-used"
    case window
    case race
    case lost
    case resource
    case nonce
    case feed
    case expiry
    case logout
    case logoutAll = "logout-all"

    /// Whether it asks the backend to end sessions that are not the check's own, so that it runs only if
    /// it is named.
    package var endsOtherSessions: Bool { self == .logoutAll }

    package static func < (left: ProbeName, right: ProbeName) -> Bool {
        let all = allCases
        return (all.firstIndex(of: left) ?? 0) < (all.firstIndex(of: right) ?? 0)
    }
}

/// A question to a backend: what is sent, and what the answers mean.
///
/// A probe is a value without state: each decision follows from the exchanges so far.
protocol Probe: Sendable {
    var name: ProbeName { get }
    /// Whether its first family is the one that the probe before it has left.
    var continuesFamily: Bool { get }
    /// Whether its probe sessions run at once, and not one after the other.
    var runsProbeSessionsTogether: Bool { get }

    /// Returns the most that it sends.
    func cost(_ options: CheckOptions) -> ProbeCost
    /// Returns why it has nothing to find out, or `nil` if it has.
    func skip(_ record: CheckRecord, _ options: CheckOptions) -> SkipReason?
    /// Returns the keys of all probe sessions that should run, the existing ones first.
    func probeSessions(given probeSessions: [ProbeSession], _ clock: CheckClock) -> [Double]
    /// Returns whether a probe session that is not over has become unnecessary.
    func drops(_ probeSession: ProbeSession, given probeSessions: [ProbeSession]) -> Bool
    /// Returns the steps of a probe session, as far as they follow from its exchanges so far.
    func script(of probeSession: ProbeSession, _ record: CheckRecord) -> [Step]
    /// Returns what the probe sessions have shown.
    func verdicts(from probeSessions: [ProbeSession], _ record: CheckRecord) -> [Verdict]
}

extension Probe {
    var continuesFamily: Bool { false }
    var runsProbeSessionsTogether: Bool { false }
    func skip(_ record: CheckRecord, _ options: CheckOptions) -> SkipReason? { nil }
    func probeSessions(given probeSessions: [ProbeSession], _ clock: CheckClock) -> [Double] { [0] }
    func drops(_ probeSession: ProbeSession, given probeSessions: [ProbeSession]) -> Bool { false }
}

/// The most that a probe sends, without repetitions after failures.
package struct ProbeCost: Sendable, Hashable {
    package var logins = 0
    package var refreshes = 0
    /// Everything, with logins and refreshes.
    package var requests = 0
    /// Seconds that it waits.
    var seconds = 0.0

    static func + (left: ProbeCost, right: ProbeCost) -> ProbeCost {
        ProbeCost(
            logins: left.logins + right.logins,
            refreshes: left.refreshes + right.refreshes,
            requests: left.requests + right.requests,
            seconds: left.seconds + right.seconds
        )
    }
}

/// Why a probe was not run.
package enum SkipReason: String, Sendable, Hashable, Codable {
    /// The profile has no such request.
    case notInProfile
    /// The refresh token is never replaced, so that none is spent.
    case notRotated
    /// A replaced refresh token is refused at once, so that there is no window.
    case noWindow
    /// The access token lives longer than the check waits.
    case livesTooLong
    /// The backend issues no refresh token.
    case noRefreshToken
    /// A refresh token is refused at its first use.
    case refreshRefused
    /// It needs more sessions than the check may have.
    case tooManySessions
}

/// The time of a check, in seconds since its start.
struct CheckClock: Sendable {
    let now: Double
    let options: CheckOptions
    /// Whether a refresh brings no refresh token.
    let isSilent: Bool
}

extension ProbeName {
    var probe: any Probe {
        switch self {
        case .reach: ReachProbe()
        case .login: LoginProbe()
        case .accept: AcceptProbe()
        case .refresh: RefreshProbe()
        case .errors: ErrorsProbe()
        case .reuse: ReuseProbe()
        case .depth: DepthProbe()
        case .untilUsed: UntilUsedProbe()
        case .window: WindowProbe()
        case .race: RaceProbe()
        case .lost: LostProbe()
        case .resource: ResourceProbe()
        case .nonce: NonceProbe()
        case .feed: FeedProbe()
        case .expiry: ExpiryProbe()
        case .logout: LogoutProbe()
        case .logoutAll: LogoutAllProbe()
        }
    }
}
