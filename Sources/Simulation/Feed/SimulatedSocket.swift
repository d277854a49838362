import Backend
import Basics
import Client
import Model

/// One socket of one process's feed, from its dial to its end, seen from both of its ends.
final class SimulatedSocket {
    /// The stage of the client's side.
    enum Stage {
        case dialing
        case open
        /// Closing with this code.
        case closing(Int)
    }

    /// A frame that arrives at the client.
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
    /// The last message that the client has, if it requests the messages after it.
    let since: Int64?
    let dialedAt: Instant

    var stage = Stage.dialing
    /// The code with which the machine closed it before it was open.
    var givenUp: Int?
    /// Whether frames in transit are lost.
    var isCut = false

    /// The grant whose messages the server sends on it, or `nil` before and after.
    var grant: AccessGrant?
    /// The next message that the server sends.
    var next: Int64 = 0
    /// Whether the server no longer sends or reads, although the transport is open.
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
