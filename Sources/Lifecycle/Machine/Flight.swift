import Timekeeping
import Tokens

/// The one refresh that is under way.
struct Flight: Sendable, Hashable {
    let number: Int
    let cause: RefreshCause
    /// The operation that took the flight lock.
    let lock: OperationID
    /// The refresh token has ended, or is about to: whatever comes now is final.
    var isLast = false
    /// The renewal is due for the refresh token's sake rather than the access token's.
    var isForRefreshToken = false
    /// Whether `refreshStarted` was said: a flight that adopts never sends.
    var hasSent = false
}

/// A flight that is wanted while the last one's write is still under way.
struct PostponedFlight: Sendable, Hashable {
    let cause: RefreshCause
    let isLast: Bool
}

/// What was sent with a refresh, kept until its answer.
struct RefreshSend: Sendable, Hashable {
    var token: RefreshToken
    var generation: Int
    var epoch: Int
    var record: Int
}

/// A definitive refusal, until the vault was read again.
struct RefusalNotice: Sendable, Hashable {
    var failure: RefreshFailure
    var reason: SignedOutReason
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
struct LoginAttempt: Sendable, Hashable {
    /// The epoch before it, to return to when it fails.
    var base: Int
    /// Where to return to when it fails.
    var previous: SessionState
    var origin = PairDescription.Origin.login
    /// It renews what is held, without a person.
    var isRenewal = false
    /// The operation that took the flight lock, or waits for it; nil while a write of this process
    /// keeps the lock, or where none is needed.
    var lock: OperationID?
    /// A stored session that it takes the place of, besides the one that is held.
    var stored: HeldPair?

    var epoch: Int { base + 1 }
}

/// How a logout goes on once the tombstone is written.
struct LogoutEnd: Sendable, Hashable {
    var reason: SignedOutReason
    var revocation: PendingRevocation?
    /// Why there is none.
    var obstacle = RevocationPhase.notOffered
    var askedAt: Instant

    init(reason: SignedOutReason, askedAt: Instant) {
        self.reason = reason
        self.askedAt = askedAt
    }
}
