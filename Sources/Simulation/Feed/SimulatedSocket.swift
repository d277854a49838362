import Backend
import Lifecycle
import Timekeeping
import Tokens

/// One socket of one process's feed, from its dial to its end, seen from both of its ends.
final class SimulatedSocket {
    /// Where the client's end stands.
    enum Stage {
        case dialing
        case open
        /// Told to close with this code.
        case closing(Int)
    }

    /// What arrives at the client.
    enum Frame {
        case opened
        case refused(status: Int, retryAfter: Double?)
        case failed(FeedCause)
        case message(Int64)
        case pong
        case closed(code: Int, by: FeedCloser)
    }

    let process: Int
    let incarnation: Int
    /// The machine's number for it.
    let number: Int
    let generation: Int
    /// The client's session that it belongs to.
    let family: String
    let token: AccessToken
    /// The last message that the client has, where it asks for what came since.
    let since: Int64?
    let dialedAt: Instant

    var stage = Stage.dialing
    /// The code that the machine gave it up with before it was open.
    var givenUp: Int?
    /// Nothing that was under way arrives any more.
    var isCut = false

    /// Whose messages the server sends on it; `nil` before and after.
    var grant: AccessGrant?
    /// The next message that the server sends.
    var next: Int64 = 0
    /// The server neither sends nor reads any more, though the transport is open.
    var isFrozen = false
    /// When the last frame arrives that is on its way to the client: none overtakes another.
    var lastArrival = Instant.origin

    init(
        process: Int,
        incarnation: Int,
        number: Int,
        generation: Int,
        family: String,
        token: AccessToken,
        since: Int64?,
        dialedAt: Instant
    ) {
        self.process = process
        self.incarnation = incarnation
        self.number = number
        self.generation = generation
        self.family = family
        self.token = token
        self.since = since
        self.dialedAt = dialedAt
    }
}
