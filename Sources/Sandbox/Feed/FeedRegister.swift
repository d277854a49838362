import Backend
import Basics
import FoundationEssentials
import Profiles

/// The feeds of all users and their sockets.
struct FeedRegister: Sendable {
    /// The number of closed sockets that are remembered.
    private static let closedLimit = 1000

    struct Owner: Sendable, Hashable {
        let dialect: String
        let user: Int
    }

    /// The feed of one user: its messages, and the instant at which they began.
    struct UserFeed: Sendable {
        let log: FeedLog
        let begun: Instant

        func latest(at now: Instant) -> Int64 {
            log.latest(after: (now - begun).nanoseconds)
        }
    }

    /// The facts that a socket needs to serve its client.
    struct Opening: Sendable {
        let id: Int
        let feed: UserFeed
        /// The first message to send.
        let start: Int64
        let orders: AsyncStream<FeedClose>
    }

    private var feeds: [Owner: UserFeed] = [:]
    /// All sockets, the oldest first.
    private(set) var sockets: [FeedSocketState] = []
    private var orders: [Int: AsyncStream<FeedClose>.Continuation] = [:]
    private var lastID = 0

    var open: [FeedSocketState] { sockets.filter { $0.closedAt == nil } }

    /// Registers a socket, and starts the user's feed if it is the first one.
    mutating func open(
        _ grant: AccessGrant,
        in dialect: String,
        since: Int64?,
        rate: Double,
        at moment: Moment
    ) -> Opening {
        let owner = Owner(dialect: dialect, user: grant.user.id)
        let wall = moment.wall.timeIntervalSince1970
        let feed =
            feeds[owner]
            ?? UserFeed(
                log: FeedLog(user: grant.user.id, startedAt: wall, rate: rate),
                begun: moment.now
            )
        feeds[owner] = feed
        lastID += 1
        sockets.append(
            FeedSocketState(
                id: lastID,
                dialect: dialect,
                user: grant.user.id,
                family: grant.family,
                generation: grant.generation,
                openedAt: wall,
                sent: []
            )
        )
        let (stream, continuation) = AsyncStream.makeStream(
            of: FeedClose.self,
            bufferingPolicy: .bufferingOldest(1)
        )
        orders[lastID] = continuation
        let latest = feed.latest(at: moment.now)
        return Opening(
            id: lastID,
            feed: feed,
            start: feed.log.start(since: since, latest: latest),
            orders: stream
        )
    }

    /// Asks an open socket to close.
    func order(_ close: FeedClose, to socket: Int) {
        orders[socket]?.yield(close)
    }

    mutating func recordSent(_ seq: Int64, to socket: Int) {
        guard let index = index(of: socket) else { return }
        sockets[index].sent.append(seq)
    }

    mutating func recordRenewal(_ generation: Int, of socket: Int) {
        guard let index = index(of: socket) else { return }
        sockets[index].generation = generation
    }

    /// Returns the number of the last message written to a socket, or `nil` if there is none.
    func lastSent(to socket: Int) -> Int64? {
        index(of: socket).flatMap { sockets[$0].sent.last?.last }
    }

    mutating func recordClosed(
        _ socket: Int,
        _ close: FeedClose,
        by closer: FeedSocketState.Closer,
        at wall: Double
    ) {
        orders.removeValue(forKey: socket)?.finish()
        guard let index = index(of: socket) else { return }
        sockets[index].closedAt = wall
        sockets[index].closeCode = close.code
        sockets[index].closedBy = closer
        sockets[index].closeReason = close.reason.isEmpty ? nil : close.reason
        let closed = sockets.count - orders.count
        if closed > Self.closedLimit,
            let oldest = sockets.firstIndex(where: { $0.closedAt != nil })
        {
            sockets.remove(at: oldest)
        }
    }

    func states(at now: Instant) -> [SandboxFeedState] {
        feeds
            .map { owner, feed in
                SandboxFeedState(
                    dialect: owner.dialect,
                    user: owner.user,
                    startedAt: feed.log.startedAt,
                    latest: feed.latest(at: now)
                )
            }
            .sorted { ($0.dialect, $0.user) < ($1.dialect, $1.user) }
    }

    private func index(of socket: Int) -> Int? {
        // Searched from the end, since recent sockets are the busy ones.
        sockets.lastIndex { $0.id == socket }
    }
}
