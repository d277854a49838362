package import Basics
package import Model
package import Profiles

/// Something to be done for a check.
package enum CheckEffect: Sendable {
    /// Send a request, and report its result as `answered`.
    case send(CheckRequest)
    /// Log in as the user does, and report its result as `loggedIn`.
    case logIn(id: Int)
    /// Open a socket of the feed, and report its result as `dialed`, and its end as `socketClosed`.
    case dial(CheckDial)
    /// Close a socket of the feed.
    case close(socket: Int)
    /// Report `woken` at this instant; it replaces the one before.
    case wake(at: Instant)
}

/// A request of a check.
package struct CheckRequest: Sendable {
    package enum Connection: Sendable, Hashable {
        case own
        /// One that is open already, if there is one; `sentAt` is then the time at which the request
        /// was written.
        case warm
        /// One of its own, which the client closes before the answer.
        case abandoned
    }

    package let id: Int
    package let request: WireRequest
    package var connection = Connection.own
    /// Whether its proof has the nonce that the server has sent, and it is sent again for another.
    package var usesNonce = true
    /// Whether the probe of a nonce has shown that a challenge for another leaves the refresh token alone.
    package var isLeftByChallenges = false
}

/// A request of a check to open the feed.
package struct CheckDial: Sendable {
    /// The number of the socket.
    package let id: Int
    package let request: FeedRequest
}

package enum CheckInput: Sendable {
    case answered(id: Int, Outcome<WireResponse>, sentAt: Moment, endedAt: Moment)
    /// The answer to an upgrade, or `nil` if the socket is open.
    case dialed(socket: Int, Outcome<WireResponse>?, sentAt: Moment, endedAt: Moment)
    case socketClosed(Int, code: Int)
    /// The tokens of a login, or `nil` if there are none, and the scope of its answer.
    case loggedIn(
        id: Int,
        IssuedTokens?,
        scope: Set<String>? = nil,
        sentAt: Moment,
        endedAt: Moment
    )
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
    /// The groups of probe sequences that are left, the present one first.
    var groups: [[ProbeSequence]]
    /// The requests in progress.
    var pending: [Int: PendingStep] = [:]
    var lastRequest = 0
    var nextSend = Instant.origin
    /// Set by 429.
    var pausedUntil = Instant.origin
    /// The family that probes share.
    var sharedFamily: SharedFamily?
    /// The families that no probe needs any more, to be logged out when there is time.
    var unneededFamilies: [UnneededFamily] = []
    /// Those whose logouts are in progress.
    var finalLogouts: [Int: UnneededFamily] = [:]
    /// The sockets that were opened and are still needed.
    var sockets: [Int: OpenedSocket] = [:]
    /// Sockets that no probe needs any more.
    var unneededSockets: [Int] = []
    /// The statuses with which the backend has refused a refresh without a body, again and again: there
    /// is nothing else to wait for.
    var bareStatuses: Set<Int> = []
    /// Whether a login was refused although others had succeeded.
    var refusesLogins = false
    /// Whether the user has stopped the check: nothing is begun any more but logouts.
    package private(set) var isStopped = false
    private(set) var failure: CheckFailure?

    /// Probes that run one after the other.
    struct ProbeSequence: Sendable {
        var probes: [ProbeName]
        /// The probe sessions of the first of them, once it has begun.
        var probeSessions: [ProbeSession]?
        /// When it began, in seconds.
        var beganAt = 0.0
    }

    struct PendingStep: Sendable {
        let sequence: Int
        let probeSession: Int
        let attempt: Int
        let step: Step
        /// The refresh token that it sends.
        let refresh: RefreshToken?
        let needsFamily: Int
        let place: Int
    }

    struct OpenedSocket: Sendable {
        struct End: Sendable {
            let code: Int
            let at: Moment
        }

        /// The server's close of the socket.
        var end: End?
    }

    struct SharedFamily: Sendable {
        var family: ProbeFamily
        var login: [CheckExchange]
    }

    /// - Parameters:
    ///   - dialect: The dialect of the profile.
    ///   - credentials: Those of the login, by their names.
    ///   - options: The extent of the check.
    package init(
        dialect: Dialect,
        credentials: [String: Secret],
        options: CheckOptions = CheckOptions()
    ) {
        self.dialect = dialect
        self.credentials = credentials
        let options = options.fitted(to: dialect)
        self.options = options
        plan = CheckPlan(options, of: dialect)
        record = CheckRecord(dialect, options)
        groups = options.groups.map { group in
            group.filter { !$0.isEmpty }.map { ProbeSequence(probes: $0) }
        }
        for name in options.probes where !options.affordable.contains(name) {
            record.skip(name, .tooManySessions)
        }
        for (name, value) in credentials { secrets.add(value, named: name) }
    }

    package var isOver: Bool {
        groups.isEmpty && unneededFamilies.isEmpty && finalLogouts.isEmpty
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
            if let family = finalLogouts.removeValue(forKey: id) {
                recordFinalLogout(outcome, of: family, at: endedAt)
            } else if let step = pending.removeValue(forKey: id) {
                apply(.answered(outcome), of: step, id: id, sentAt: sentAt, endedAt: endedAt)
            }
        case .loggedIn(let id, let tokens, let scope, let sentAt, let endedAt):
            guard let step = pending.removeValue(forKey: id) else { break }
            apply(
                .loggedIn(tokens, scope: scope),
                of: step,
                id: id,
                sentAt: sentAt,
                endedAt: endedAt
            )
        case .dialed(let id, let refusal, let sentAt, let endedAt):
            guard let step = pending.removeValue(forKey: id) else { break }
            if refusal == nil { sockets[id] = OpenedSocket() }
            apply(
                refusal.map { .answered($0) } ?? .opened,
                of: step,
                id: id,
                sentAt: sentAt,
                endedAt: endedAt
            )
        case .socketClosed(let id, let code):
            sockets[id]?.end = OpenedSocket.End(code: code, at: now)
        }
        return advance(at: now) + closings()
    }

    /// Ends the check, since nothing can be found out.
    mutating func fail(_ failure: CheckFailure) {
        self.failure = self.failure ?? failure
        for probeSession in groups.flatMap({ $0.flatMap { $0.probeSessions ?? [] } }) {
            release(probeSession.families)
            release(probeSession.sockets)
        }
        groups = []
    }

    /// Ends the check at the user's wish: what is in progress is awaited, and its sessions are
    /// logged out.
    package mutating func stop(at now: Moment) -> [CheckEffect] {
        isStopped = true
        groups = groups.prefix(1).map { sequences in
            sequences.map { sequence in
                var sequence = sequence
                sequence.probes =
                    sequence.probeSessions == nil ? [] : Array(sequence.probes.prefix(1))
                return sequence
            }
        }
        return advance(at: now) + closings()
    }

    /// The number of the check's own sessions that live on if nothing more is sent.
    package var openSessions: Int {
        let running = (groups.first ?? []).flatMap { $0.probeSessions ?? [] }.map(\.families.count)
        return record.sessions.left + unneededFamilies.count + finalLogouts.count
            + running.reduce(sharedFamily == nil ? 0 : 1, +)
    }

    /// Seconds since the start.
    func seconds(_ moment: Moment) -> Double {
        start.map { moment.now.seconds(since: $0.now) } ?? 0
    }

    /// The findings so far.
    package var report: CheckReport {
        CheckReport(record, plan: plan, failure: failure)
    }

    /// The probe sessions of the probes that are running.
    package var running: [(probe: ProbeName, probeSessions: [ProbeSession])] {
        (groups.first ?? []).compactMap { sequence in
            guard let probe = sequence.probes.first, let probeSessions = sequence.probeSessions
            else {
                return nil
            }
            return (probe, probeSessions)
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
