package import Dialects
package import Lifecycle
package import Timekeeping
package import Tokens

/// Something to be done for a check.
package enum CheckEffect: Sendable {
    /// Send a request, and report what came of it as `answered`.
    case send(CheckRequest)
    /// Report `woken` at this instant; it replaces the one before.
    case wake(at: Instant)
}

/// A request of a check.
package struct CheckRequest: Sendable {
    package let id: Int
    package let request: WireRequest
    /// Whether the client goes away before the answer.
    package let isAbandoned: Bool
}

package enum CheckInput: Sendable {
    case answered(id: Int, Outcome<WireResponse>, sentAt: Moment, endedAt: Moment)
    case woken
}

/// Finds out how a backend treats tokens, with sessions of its own.
///
/// A value without IO: the caller sends what the effects say, and reports the outcomes.
package struct CheckMachine: Sendable {
    package let plan: CheckPlan
    let dialect: Dialect
    let options: CheckOptions
    let credentials: [String: Secret]
    var secrets = KnownSecrets()
    /// When the check began.
    var start: Moment?
    var record: CheckRecord
    /// The groups of tracks that are left, the present one first.
    var groups: [[Track]]
    /// The requests under way.
    var pending: [Int: PendingStep] = [:]
    var lastRequest = 0
    var nextSend = Instant.origin
    /// Set by 429.
    var pausedUntil = Instant.origin
    /// The family that probes hand on.
    var home: Home?
    /// The families that no probe needs any more, to be logged out when there is time.
    var unneededFamilies: [TokenFamily] = []
    /// The logouts of such families that are under way.
    var finalLogouts: Set<Int> = []
    package private(set) var failure: CheckFailure?

    /// Probes that run one after the other.
    struct Track: Sendable {
        var probes: [ProbeName]
        /// The lanes of the first of them, once it has begun.
        var lanes: [Lane]?
        /// When it began, in seconds.
        var beganAt = 0.0
    }

    struct PendingStep: Sendable {
        let track: Int
        let lane: Int
        let attempt: Int
        let step: Step
        /// The refresh token that it sends.
        let refresh: RefreshToken?
        let needsFamily: Int
        let place: Int
    }

    struct Home: Sendable {
        var family: TokenFamily
        var login: [CheckExchange]
    }

    /// - Parameters:
    ///   - dialect: The dialect of the profile.
    ///   - credentials: Those of the login, by their names.
    ///   - options: What is checked.
    package init(
        dialect: Dialect,
        credentials: [String: Secret],
        options: CheckOptions = CheckOptions()
    ) {
        self.dialect = dialect
        self.credentials = credentials
        self.options = options
        plan = CheckPlan(options)
        record = CheckRecord(dialect, options)
        groups = options.groups.map { group in
            group.filter { !$0.isEmpty }.map { Track(probes: $0) }
        }
        for (name, value) in credentials { secrets.add(value, named: name) }
    }

    package var isOver: Bool {
        failure != nil || groups.isEmpty && unneededFamilies.isEmpty && finalLogouts.isEmpty
    }

    /// Begins the check.
    package mutating func begin(at now: Moment) -> [CheckEffect] {
        start = now
        nextSend = now.now
        pausedUntil = now.now
        return advance(at: now)
    }

    /// Applies an input, and returns what to do next.
    package mutating func handle(_ input: CheckInput, at now: Moment) -> [CheckEffect] {
        switch input {
        case .woken: break
        case .answered(let id, let outcome, let sentAt, let endedAt):
            if finalLogouts.remove(id) != nil {
                noteFinalLogout(outcome)
            } else if let step = pending.removeValue(forKey: id) {
                note(outcome, of: step, id: id, sentAt: sentAt, endedAt: endedAt)
            }
        }
        return advance(at: now)
    }

    /// Ends the check, since nothing can be found out.
    mutating func fail(_ failure: CheckFailure) {
        self.failure = self.failure ?? failure
        groups = []
    }

    /// Seconds since the start.
    func seconds(_ moment: Moment) -> Double {
        start.map { moment.now.seconds(since: $0.now) } ?? 0
    }

    /// What has been found out so far.
    package var report: CheckReport {
        CheckReport(record, plan: plan, failure: failure)
    }

    /// The lanes of the probes that are running.
    package var running: [(probe: ProbeName, lanes: [Lane])] {
        (groups.first ?? []).compactMap { track in
            guard let probe = track.probes.first, let lanes = track.lanes else { return nil }
            return (probe, lanes)
        }
    }
}

/// Why a check could not be made.
package enum CheckFailure: Sendable, Hashable {
    /// The credentials were rejected; they are not sent again.
    case loginRejected(status: Int?, message: String?)
    /// No login brought tokens.
    case loginFailed(UnclearAnswer, message: String?)
    case unreachable(detail: String)
    case missingCredential(String)
}
