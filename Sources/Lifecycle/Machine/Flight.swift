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
    /// Failures of any kind since the first answer was lost, that one included.
    var sinceLoss = 0
    var firstLossAt: Instant?
    var clientFaults = 0

    var inARow: Int { transient + dead + lost }
}

/// A login that is under way.
struct LoginAttempt: Sendable, Hashable {
    var epoch: Int
    /// Where to return to when it fails.
    var previous: SessionState
    var origin = PairDescription.Origin.login
}

/// How a logout goes on once the tombstone is written.
struct LogoutEnd: Sendable, Hashable {
    var reason: SignedOutReason
    var revocation: PendingRevocation?
    var askedAt: Instant
}
