import Backend
import Basics
import HTTP
import Synchronization

/// A WebSocket on which a protocol of messages is spoken, with the token in one of them.
final class SpokenConnection: ServedConnection {
    /// The time within which the client has to subscribe.
    static let subscriptionLimit = Duration.seconds(10)

    private struct State: Sendable {
        var feed: SpokenFeed
        /// The grant of the newest token that was accepted.
        var grant: AccessGrant?
        /// When the client has said something last.
        var heardAt: Instant
        /// The number of the socket, once it is registered.
        var socket: Int?
    }

    private let connection: WebSocketConnection
    private let core: SandboxCore
    private let served: ServedDialect
    private let state: Mutex<State>

    init(
        _ connection: WebSocketConnection,
        speaking spoken: SpokenProtocol,
        in served: ServedDialect,
        core: SandboxCore
    ) {
        self.connection = connection
        self.core = core
        self.served = served
        state = Mutex(State(feed: SpokenFeed(spoken), heardAt: core.timekeeper.now))
    }

    /// Serves the socket and returns when it is closed.
    func serve(_ ticket: FeedTicket) async {
        guard let grant = await subscription() else { return }
        let admitted = FeedTicket(
            dialect: ticket.dialect,
            admission: .open(grant, since: nil),
            subprotocol: ticket.subprotocol
        )
        await ServedFeedSocket(connection: self, core: core).serve(admitted)
    }

    /// Speaks until the client has sent a valid token and has subscribed, or closes the socket.
    ///
    /// - Returns: The grant of the token, or `nil` if the socket is closed.
    private func subscription() async -> AccessGrant? {
        let greeting = state.withLock { $0.feed.greeting }
        if let greeting { try? await connection.send(text: greeting) }
        return await withTaskGroup(of: AccessGrant?.self) { group in
            group.addTask { await self.listen() }
            group.addTask {
                let time = self.core.timekeeper
                do {
                    try await time.sleep(until: time.now + Self.subscriptionLimit)
                } catch {
                    return nil
                }
                let late = FeedClose(code: 4408, reason: "Connection initialisation timeout")
                _ = await self.connection.close(with: late)
                return nil
            }
            let grant = await group.next() ?? nil
            group.cancelAll()
            if Task.isCancelled { _ = await connection.close(with: ServedFeedSocket.goodbye) }
            return grant
        }
    }

    private func listen() async -> AccessGrant? {
        while true {
            let events = await connection.events.next(atMost: 1)
            guard let event = events.first else { return nil }
            if await end(by: event) != nil { return nil }
            if let grant = state.withLock({ $0.feed.isSubscribed ? $0.grant : nil }) {
                return grant
            }
        }
    }

    /// Answers what has come.
    ///
    /// - Returns: The end of the socket, if it has ended.
    private func end(by event: WebSocketEvent) async -> WebSocketCloseReport? {
        switch event {
        case .closed(let report): return report
        case .text(let text):
            let now = core.timekeeper.now
            let actions = state.withLock { state in
                state.heardAt = now
                return state.feed.heard(text)
            }
            guard let close = await run(actions) else { return nil }
            return await connection.close(with: close)
        case .binary, .ping, .pong: return nil
        }
    }

    private func run(_ actions: [SpokenFeed.Action]) async -> FeedClose? {
        for action in actions {
            switch action {
            case .send(let text): try? await connection.send(text: text)
            case .judge(let token):
                if let close = await judge(token) { return close }
            case .close(let close): return close
            }
        }
        return nil
    }

    private func judge(_ token: AccessToken?) async -> FeedClose? {
        let refusal: String?
        switch core.verdict(on: token, in: served) {
        case .granted(let grant):
            refusal = nil
            let socket = state.withLock { state in
                state.grant = grant
                return state.socket
            }
            if let socket { core.recordRenewal(grant, of: socket) }
        case .refused(let words): refusal = words
        case .closed(let close): return close
        }
        return await run(state.withLock { $0.feed.judged(refusal) })
    }

    // MARK: - ServedConnection

    func opened(as socket: Int) {
        state.withLock { $0.socket = socket }
    }

    var newestGrant: AccessGrant? { state.withLock { $0.grant } }

    func send(_ text: String, numbered seq: Int64, of user: Int) async throws {
        let carried = state.withLock { $0.feed.isSubscribed ? $0.feed.carrying(text) : nil }
        if let carried { try await connection.send(text: carried) }
    }

    func closing() async -> WebSocketCloseReport? {
        await withTaskGroup(of: WebSocketCloseReport?.self) { group in
            group.addTask { await self.answers() }
            group.addTask { await self.silence() }
            for await report in group {
                guard let report else { continue }
                group.cancelAll()
                return report
            }
            return nil
        }
    }

    /// Closes the socket of a client that has said nothing for too long.
    private func silence() async -> WebSocketCloseReport? {
        guard let limit = state.withLock({ $0.feed.spoken.idleLimit }) else { return nil }
        let time = core.timekeeper
        while true {
            let end = state.withLock { $0.heardAt } + limit
            if end <= time.now {
                return await connection.close(with: FeedClose(code: 1000, reason: ""))
            }
            do {
                try await time.sleep(until: end)
            } catch {
                return nil
            }
        }
    }

    /// Answers what comes, to the end.
    private func answers() async -> WebSocketCloseReport? {
        while true {
            let events = await connection.events.next(atMost: 1)
            guard let event = events.first else { return nil }
            if let report = await end(by: event) { return report }
        }
    }

    func close(with close: FeedClose) async -> WebSocketCloseReport {
        await connection.close(with: close)
    }

    func freeze() { connection.freeze() }

    func end() async -> WebSocketCloseReport { await connection.end() }

    func drop() { connection.drop() }

    var keepAlive: Duration? { nil }

    func sendKeepAlive() async throws {}
}
