package import Dialects
import Timekeeping

/// Everything that can happen to the feed.
///
/// A socket's events carry its number: those of an older socket are ignored.
package enum FeedInput: Sendable {
    /// What the session says.
    case order(FeedOrder)
    /// The instant `FeedMachine.nextDeadline` is reached.
    case tick
    /// A dial began; the target has the token replaced by its fingerprint.
    case dialStarted(socket: Int, target: String)
    case opened(socket: Int)
    case refused(socket: Int, status: Int, retryAfter: Double?)
    case failed(socket: Int, why: FeedCause)
    case closed(socket: Int, code: Int, by: FeedCloser, reason: String)
    case message(socket: Int, FeedMessage, key: String)
    case pong(socket: Int)
    /// The program ends: close, and apply what still arrives until the peer has closed too.
    case leave
    /// The machine slept: whatever was open may be dead.
    case woke
}

/// What the shell must do for the feed; what became of it comes back as a `FeedInput`.
package enum FeedOperation: Sendable {
    /// Dial with the token of this generation; ends in `opened`, `refused` or `failed`.
    case dial(socket: Int, generation: Int, since: String?)
    /// Close with the handshake; ends in `closed`. A dial under way is given up.
    case close(socket: Int, code: Int)
    case ping(socket: Int)
    /// Tell the open socket the token of this generation.
    case reauthenticate(socket: Int, generation: Int)
}

/// What follows from a feed's decisions.
package enum FeedEffect: Sendable {
    case perform(FeedOperation)
    /// The backend refused a live token: the session decides what that means.
    case tokenRejected(generation: Int)
    case emit(FeedEvent)
}
