import Backend
import Basics
import Profiles

/// The backend's state of its feeds: each user's messages, and the sockets they go to.
struct FeedServer {
    /// In the order in which they were opened.
    private(set) var sockets: [SimulatedSocket] = []
    /// Users whose next message is scheduled.
    private var scheduled: Set<Int> = []
    /// The number of sessions that had ended when the sockets were looked through last.
    private var endings = 0
    private let period: Double

    init(period: Double) {
        self.period = period
    }

    /// A user's messages, from the beginning of the simulation on.
    private func log(of user: Int) -> FeedLog {
        FeedLog(user: user, startedAt: SimulatedClock.epoch, rate: 1 / period)
    }

    func latest(of user: Int, at now: Instant) -> Int64 {
        log(of: user).latest(after: now.nanoseconds)
    }

    /// Begins to serve a socket.
    mutating func open(_ socket: SimulatedSocket, for grant: AccessGrant, at now: Instant) {
        let latest = latest(of: grant.user.id, at: now)
        socket.grant = grant
        socket.next = log(of: grant.user.id).start(since: socket.since, latest: latest)
        sockets.append(socket)
    }

    mutating func remove(_ socket: SimulatedSocket) {
        socket.grant = nil
        sockets.removeAll { $0 === socket }
    }

    func sockets(of user: Int) -> [SimulatedSocket] {
        sockets.filter { $0.grant?.user.id == user }
    }

    /// Returns when the user's next message is to be sent.
    ///
    /// - Returns: `nil` if it is scheduled already, or no socket is open.
    mutating func nextDue(of user: Int, at now: Instant) -> Instant? {
        guard sockets.contains(where: { $0.grant?.user.id == user }),
            let due = log(of: user).due(latest(of: user, at: now) + 1),
            scheduled.insert(user).inserted
        else { return nil }
        return Instant(nanoseconds: due)
    }

    mutating func messageIsDue(of user: Int) {
        scheduled.remove(user)
    }

    /// Returns the sockets of sessions that have ended since the last call.
    mutating func orphans(_ backend: AuthBackend) -> [SimulatedSocket] {
        guard backend.endings != endings else { return [] }
        endings = backend.endings
        return sockets.filter { $0.grant.map { backend.hasEnded(family: $0.family) } ?? false }
    }
}
