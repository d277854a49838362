import Basics
import Model

/// When the next socket of the feed is dialed, whatever sockets there are.
enum FeedRedial: Sendable {
    /// As soon as there is a reason.
    case atOnce
    case waiting(FeedWait)
    /// Dialing would not help.
    case stopped(why: FeedCause)
    /// The program is shutting down.
    case shutDown

    var wait: FeedWait? {
        if case .waiting(let wait) = self { wait } else { nil }
    }

    /// Whether no socket is dialed any more.
    var isStopped: Bool {
        switch self {
        case .atOnce, .waiting: false
        case .stopped, .shutDown: true
        }
    }
}

/// The time before the next dial.
struct FeedWait: Sendable {
    enum Reason: Sendable {
        case backoff(attempt: Int, why: FeedCause)
        /// The feed was refused with a fresh token; `status` is that of the upgrade or the close code.
        case refused(status: Int)
    }

    let until: Instant
    var reason: Reason
    /// The refusal that it follows, if any: a newer token ends the wait.
    let refusal: FeedRefusal?

    /// The state of a feed that has no socket meanwhile.
    var state: FeedState {
        switch reason {
        case .backoff(let attempt, let why): .backoff(attempt: attempt, nextAt: until, why: why)
        case .refused(let status): .refused(status: status, nextAt: until)
        }
    }
}

/// The backend's refusal of a socket because of its token.
struct FeedRefusal: Sendable {
    /// The end of an open socket that says so without words.
    struct Close: Sendable {
        let code: Int
        /// No socket is opened before, with a newer token either.
        let restsUntil: Instant
    }

    let generation: Int
    /// `nil` if the backend said that the token is refused.
    let close: Close?
}
