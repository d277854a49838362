import Basics
import Model
import Profiles

/// The stage of a client, with the values that exist only in it.
enum Stage: Sendable {
    /// Reading the vault.
    case starting
    case vaultUnavailable(VaultProblem)
    case signedOut(SignedOutReason)
    indirect case signingIn(LoginAttempt)
    case live(LiveSession)
    /// Erased locally; the revocation is pending.
    case signingOut(LogoutScope)

    /// The state that is published.
    var state: SessionState {
        switch self {
        case .starting: .cold
        case .vaultUnavailable(let problem): .vaultUnavailable(problem)
        case .signedOut(let reason): .signedOut(reason)
        case .signingIn: .signingIn
        case .live(let session): session.liveState.state
        case .signingOut(let scope): .signingOut(scope)
        }
    }

    var isLive: Bool {
        if case .live = self { true } else { false }
    }

    /// The session that is held, including while a login is about to replace it.
    var held: LiveSession? {
        switch self {
        case .live(let session): return session
        case .signingIn(let attempt):
            guard case .live(let session) = attempt.previous else { return nil }
            return session
        case .starting, .vaultUnavailable, .signedOut, .signingOut: return nil
        }
    }
}

/// A session that has a pair.
///
/// Its facts are shared until one of them changes, because they are large and every step reads them.
struct LiveSession: Sendable {
    private struct Facts {
        var ledger: SessionLedger
        var schedule: RenewalSchedule?
        var liveState = LiveState.fresh
        var renewal = RenewalProgress.none
        var tally = FailureTally()
    }

    private final class Shared: Sendable {
        let facts: Facts

        init(_ facts: Facts) {
            self.facts = facts
        }
    }

    private var shared: Shared

    init(ledger: SessionLedger, schedule: RenewalSchedule?) {
        shared = Shared(Facts(ledger: ledger, schedule: schedule))
    }

    private var facts: Facts {
        get { shared.facts }
        _modify {
            var facts = shared.facts
            defer { shared = Shared(facts) }
            yield &facts
        }
    }

    var ledger: SessionLedger {
        get { shared.facts.ledger }
        _modify { yield &facts.ledger }
    }

    /// When the pair is renewed, or `nil` if the expiry of its access token is unknown.
    var schedule: RenewalSchedule? {
        get { shared.facts.schedule }
        _modify { yield &facts.schedule }
    }

    var liveState: LiveState {
        get { shared.facts.liveState }
        _modify { yield &facts.liveState }
    }

    var renewal: RenewalProgress {
        get { shared.facts.renewal }
        _modify { yield &facts.renewal }
    }

    var tally: FailureTally {
        get { shared.facts.tally }
        _modify { yield &facts.tally }
    }

    var pair: SessionPair { shared.facts.ledger.pair }

    /// Whether the access token may be used; one whose end is unknown may, until it is refused.
    func isUsable(at now: Instant) -> Bool {
        guard let schedule else { return true }
        return now < schedule.usableUntil
    }
}

/// The state of a live session, by the usability of its pair.
///
/// Indirect where it is large, because every step reads it.
enum LiveState: Sendable, Hashable {
    case fresh
    case renewing
    indirect case retrying(RetryOutlook)
    case blocked
    indirect case expired(RetryOutlook)
    indirect case unknown(RetryOutlook)
    case draining(SignedOutReason)

    var state: SessionState {
        switch self {
        case .fresh: .fresh
        case .renewing: .renewing
        case .retrying(let outlook): .retrying(outlook)
        case .blocked: .blocked
        case .expired(let outlook): .expired(outlook)
        case .unknown(let outlook): .unknown(outlook)
        case .draining(let reason): .draining(reason)
        }
    }
}

/// The progress of a renewal.
enum RenewalProgress: Sendable {
    case none
    /// After a sleep, the network is probed before a one-time token is sent.
    case probing(RefreshCause, failures: Int)
    case flight(Flight)

    /// The cause of the renewal, or `nil` if there is none.
    var cause: RefreshCause? {
        switch self {
        case .none: nil
        case .probing(let cause, _): cause
        case .flight(let flight): flight.cause
        }
    }
}

/// The refresh in progress, of which there is at most one.
struct Flight: Sendable {
    let number: Int
    let cause: RefreshCause
    /// The operation that took the flight lock.
    let lock: OperationID
    /// Whether the refresh token has expired, or is about to, so that the outcome is final.
    var isLast: Bool
    /// Whether the renewal is to extend the refresh token rather than to replace the access token.
    let isForRefreshToken: Bool
    /// Whether `refreshStarted` was emitted: a flight that adopts never sends.
    var hasSent = false
    /// The number of times that it sends the refresh token at once: only an experiment sends it
    /// twice.
    var sends = 1
    /// The answers so far, if there are to be several.
    var answers: [FlightAnswer] = []
    /// The number of the exchange with whose tokens it continues.
    var broughtBy: Int?
    /// Whether it was refused, and continues with tokens that an experiment had kept aside.
    var usesKeptTokens = false
    /// The wait for the lock that another process holds, or `nil` if it does not wait.
    var lockWait: LockWait?
}

/// The wait for the flight lock, which another process holds.
struct LockWait: Sendable {
    /// Since when it is held, or when it was first seen to be if that is not known.
    let since: Instant
    /// The id of the process, if that is known.
    let holder: Int?
}

/// One of several answers that a flight gets.
struct FlightAnswer: Sendable {
    let exchange: CompletedExchange<RefreshResponse>
    /// Its number in the log of requests.
    let number: Int
}

/// A pair that is to be the one in use, once it is stored.
struct ScheduledPair: Sendable {
    let pair: SessionPair
    let schedule: RenewalSchedule?
}

/// Consecutive failures, by kind.
struct FailureTally: Sendable, Hashable {
    /// Failures while the access token was usable.
    var transient = 0
    /// Failures after the access token had expired.
    var expired = 0
    /// Lost answers to the refresh token in use.
    var lost = 0
    /// Lost answers after the access token had expired.
    var lostWhileExpired = 0
    /// Failures of any kind since the first answer was lost, that one included.
    var sinceLoss = 0
    var firstLossAt: Instant?
    /// The fate of the last of the lost answers.
    var lastLoss: MissingAnswer?
    var clientFaults = 0
    /// The answers with `doubtStatus`, which may be about the refresh token, although the profile does
    /// not say so.
    var doubts = 0
    var doubtStatus: Int?
    /// Failures since the renewal was tried last for another reason than a failure.
    var inRound = 0

    var inARow: Int { transient + expired + lost }
    var inARowWhileExpired: Int { expired + lostWhileExpired }

    /// Why the next try is made.
    var repeatCause: RefreshCause {
        guard lost > 0 else { return .retry }
        return switch lastLoss {
        case .unusable: .unusableAnswer
        case .unrecorded: .unrecordedAnswer
        case .lost, .discarded, nil: .lostAnswer
        }
    }

    /// The reason for which the timer of the next try is set.
    var repeatReason: RenewalReason {
        guard lost > 0 else { return .retry }
        return switch lastLoss {
        case .unusable: .unusableAnswer
        case .unrecorded: .unrecordedAnswer
        case .lost, .discarded, nil: .lostAnswer
        }
    }
}

/// A login on another device, whose tokens are asked for at intervals.
struct DeviceSignIn: Sendable {
    /// The shortest time between two requests, in seconds.
    var interval: Double
    /// Whether a request is in progress.
    var isPolling = false
    /// Why the login ends when that request has ended, whose tokens are then revoked.
    var ending: AuthorizationFailure?
}

/// A login in progress.
struct LoginAttempt: Sendable {
    /// Where to return to when it fails.
    enum Previous: Sendable {
        case signedOut(SignedOutReason)
        case live(LiveSession)
    }

    /// The epoch before it, to return to when it fails.
    var base: Int
    var previous: Previous
    var origin = PairDescription.Origin.login
    /// Whether it renews the session without the user.
    var isRenewal = false
    /// The operation that has acquired the flight lock, or waits for it; `nil` while a write of
    /// this process keeps the lock, or if none is needed.
    var lock: OperationID?
    /// The wait for the lock that another process holds, or `nil` if it does not wait.
    var lockWait: LockWait?
    /// Whether another process was seen to hold the lock.
    var hasWaited = false
    /// A stored session that it takes the place of, besides the one that is held.
    var stored: SessionPair?
    /// The operation that waits for the user's browser, or `nil` if none does.
    var authorization: OperationID?
    /// Why the last redirect was not accepted that did not belong to the login.
    var lastRedirectProblem: RedirectProblem?
    /// The grant from the browser, or the code of a login on another device.
    var grant: AuthorizationGrant?
    /// The login on another device that waits for the user, or `nil` if there is none.
    var device: DeviceSignIn?

    var epoch: Int { base + 1 }
}

// MARK: - In place

extension ClientMachine {
    /// The session that is held, including while a login is about to replace it; modified in place.
    var live: LiveSession? {
        get { stage.held }
        _modify {
            // Moved out for the duration of the access, so that it is not copied.
            switch stage {
            case .live(let session):
                var held: LiveSession? = session
                stage = .starting
                defer { if let held { stage = .live(held) } }
                yield &held
            case .signingIn(var attempt):
                var held = stage.held
                defer {
                    if let held {
                        attempt.previous = .live(held)
                        stage = .signingIn(attempt)
                    }
                }
                yield &held
            case .starting, .vaultUnavailable, .signedOut, .signingOut:
                var held: LiveSession?
                yield &held
            }
        }
    }

    /// The login in progress.
    var login: LoginAttempt? {
        if case .signingIn(let attempt) = stage { attempt } else { nil }
    }

    mutating func changeLogin(_ change: (inout LoginAttempt) -> Void) {
        guard case .signingIn(var attempt) = stage else { return }
        change(&attempt)
        stage = .signingIn(attempt)
    }

    /// The refresh in progress.
    var flight: Flight? {
        if case .flight(let flight)? = live?.renewal { flight } else { nil }
    }

    mutating func changeFlight(_ change: (inout Flight) -> Void) {
        guard case .flight(var flight)? = live?.renewal else { return }
        change(&flight)
        live?.renewal = .flight(flight)
    }

    var isProbing: Bool {
        if case .probing? = live?.renewal { true } else { false }
    }

    /// Whether a renewal is being tried.
    var isRenewing: Bool { isProbing || flight != nil }
}
