import Backend
import HTTP

/// The connection that a feed is served over.
protocol ServedConnection: Sendable {
    /// Sends a message, and waits while the client is slow.
    func send(_ text: String, numbered seq: Int64, of user: Int) async throws
    /// Returns when the client, or the end of the transport, closes the connection; `nil` if the
    /// caller is cancelled.
    func closing() async -> WebSocketCloseReport?
    /// Closes the connection, for code 1006 without a farewell.
    func close(with close: FeedClose) async -> WebSocketCloseReport
    /// Sends and reads nothing any more, while the transport stays open.
    func freeze()
    /// Waits until the transport has ended.
    func end() async -> WebSocketCloseReport
    /// Ends the transport at once.
    func drop()
    /// The time between two signs of life, or `nil` if the client asks for them.
    var keepAlive: Duration? { get }
    func sendKeepAlive() async throws
    /// The feed begins on the socket with this number.
    func opened(as socket: Int)
    /// The grant of the newest token that the client has told, or `nil` if it tells none.
    var newestGrant: AccessGrant? { get }
}

extension ServedConnection {
    func opened(as socket: Int) {}

    var newestGrant: AccessGrant? { nil }
}

extension WebSocketConnection: ServedConnection {
    func send(_ text: String, numbered seq: Int64, of user: Int) async throws {
        try await send(text: text)
    }

    /// Reads and ignores the client's messages, so that its close frame is noticed.
    func closing() async -> WebSocketCloseReport? {
        for await event in events {
            if case .closed(let report) = event { return report }
        }
        return nil
    }

    func close(with close: FeedClose) async -> WebSocketCloseReport {
        if close.code == 1006 { drop() }
        return await self.close(code: close.code, reason: close.reason)
    }

    var keepAlive: Duration? { nil }

    func sendKeepAlive() async throws {}
}
