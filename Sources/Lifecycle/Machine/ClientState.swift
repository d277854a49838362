import Dialects
import Timekeeping
import Tokens

/// Where a client stands, with everything that exists only there.
enum Stage: Sendable {
    /// Reading the vault.
    case starting
    case vaultUnavailable(VaultProblem)
    case signedOut(SignedOutReason)
    case signingIn(LoginAttempt)
    case live(LiveSession)
    /// Erased here, revocation under way.
    case signingOut(LogoutScope)

    /// As others see it.
    var state: SessionState {
        switch self {
        case .starting: .cold
        case .vaultUnavailable(let problem): .vaultUnavailable(problem)
        case .signedOut(let reason): .signedOut(reason)
        case .signingIn: .signingIn
        case .live(let session): session.standing.state
        case .signingOut(let scope): .signingOut(scope)
        }
    }

    var isLive: Bool {
        if case .live = self { true } else { false }
    }

    /// The session that is held, be it while a login is to take its place.
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
struct LiveSession: Sendable {
    var ledger: SessionLedger
    /// When the pair is renewed; `nil` if nothing is known of its access token's end.
    var schedule: RenewalSchedule?
    var standing = Standing.fresh
    var renewal = RenewalProgress.none
    var tally = FailureTally()

    var pair: SessionPair { ledger.pair }

    /// Whether the access token may be used; one whose end is unknown may, until it is refused.
    func isUsable(at now: Instant) -> Bool {
        guard let schedule else { return true }
        return now < schedule.usableUntil
    }
}

/// How good the pair of a live session is.
enum Standing: Sendable, Hashable {
    case fresh
    case renewing
    case retrying(RetryOutlook)
    case blocked
    case offline(RetryOutlook)
    case unknown(RetryOutlook)
    case draining(SignedOutReason)

    var state: SessionState {
        switch self {
        case .fresh: .fresh
        case .renewing: .renewing
        case .retrying(let outlook): .retrying(outlook)
        case .blocked: .blocked
        case .offline(let outlook): .offline(outlook)
        case .unknown(let outlook): .unknown(outlook)
        case .draining(let reason): .draining(reason)
        }
    }
}

/// What is being done to renew the pair.
enum RenewalProgress: Sendable {
    case none
    /// After a sleep it is asked whether the network is back, before a one-time token is sent.
    case probing(RefreshCause, failures: Int)
    case flight(Flight)

    /// What the renewal was begun for, or `nil` if there is none.
    var cause: RefreshCause? {
        switch self {
        case .none: nil
        case .probing(let cause, _): cause
        case .flight(let flight): flight.cause
        }
    }
}

/// The one refresh that is under way.
struct Flight: Sendable {
    let number: Int
    let cause: RefreshCause
    /// The operation that took the flight lock.
    let lock: OperationID
    /// The refresh token has ended, or is about to: whatever comes now is final.
    var isLast: Bool
    /// The renewal is due for the refresh token's sake rather than the access token's.
    let isForRefreshToken: Bool
    /// Whether `refreshStarted` was emitted: a flight that adopts never sends.
    var hasSent = false
}

/// A pair that is to be the one in use, once it is stored.
struct ScheduledPair: Sendable {
    let pair: SessionPair
    let schedule: RenewalSchedule?
}

/// Failures in a row, by what they say.
struct FailureTally: Sendable, Hashable {
    /// With the access token still good.
    var transient = 0
    /// With the access token dead.
    var dead = 0
    /// Answers lost, of the refresh token in use.
    var lost = 0
    /// Those of them that came with the access token dead.
    var lostWhileDead = 0
    /// Failures of any kind since the first answer was lost, that one included.
    var sinceLoss = 0
    var firstLossAt: Instant?
    var clientFaults = 0

    var inARow: Int { transient + dead + lost }
    var inARowWhileDead: Int { dead + lostWhileDead }
}

/// A login that is under way.
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
    /// It renews what is held, without a person.
    var isRenewal = false
    /// The operation that took the flight lock, or waits for it; `nil` while a write of this
    /// process keeps the lock, or if none is needed.
    var lock: OperationID?
    /// A stored session that it takes the place of, besides the one that is held.
    var stored: SessionPair?

    var epoch: Int { base + 1 }
}

// MARK: - In place

extension ClientMachine {
    /// The session that is held, be it while a login is to take its place; changed in place.
    var live: LiveSession? {
        get { stage.held }
        _modify {
            // Taken out meanwhile, so that nothing is copied.
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

    /// The login that is under way.
    var login: LoginAttempt? {
        if case .signingIn(let attempt) = stage { attempt } else { nil }
    }

    mutating func changeLogin(_ change: (inout LoginAttempt) -> Void) {
        guard case .signingIn(var attempt) = stage else { return }
        change(&attempt)
        stage = .signingIn(attempt)
    }

    /// The refresh that is under way.
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
