package import NIOCore

/// A WebSocket, from the upgrade to the end of its transport.
///
/// Whoever holds it closes it: it does not end by being forgotten.
package struct WebSocketConnection: Sendable {
    /// The one sequence of its events: to be read by one reader, and to be read, for what nobody
    /// reads holds up the peer.
    package let events: WebSocketEvents
    /// The one the server chose of those we named; `nil` on the server's side.
    package let subprotocol: String?
    private let role: WebSocketRole
    private let handler: NIOLoopBound<WebSocketHandler>
    private let ended: EventLoopFuture<WebSocketCloseReport>

    /// Turns an upgraded channel into a connection; to be called on its event loop, before the
    /// channel is given what arrived behind the upgrade.
    ///
    /// - Parameters:
    ///   - channel: Its handlers so far know nothing of HTTP any more, and pass `ByteBuffer`s.
    ///   - role: Which side we are.
    ///   - limits: How much it may take.
    ///   - subprotocol: What the upgrade agreed on.
    /// - Throws: When the channel has closed meanwhile.
    package init(
        on channel: any Channel,
        role: WebSocketRole,
        limits: WebSocketLimits = WebSocketLimits(),
        subprotocol: String? = nil
    ) throws {
        let promise = channel.eventLoop.makePromise(of: WebSocketCloseReport.self)
        let queue = WebSocketEventQueue(limits: limits)
        let handler = WebSocketHandler(role: role, limits: limits, queue: queue, end: promise)
        do {
            try channel.pipeline.syncOperations.addHandler(handler)
        } catch {
            promise.fail(error)
            throw error
        }
        self.role = role
        self.subprotocol = subprotocol
        self.handler = NIOLoopBound(handler, eventLoop: channel.eventLoop)
        ended = promise.futureResult
        events = WebSocketEvents(queue: queue, handler: self.handler)
    }

    /// Returns when the transport has taken all of it: a peer that does not read holds up who
    /// writes to it, until the connection is closed or the caller cancelled.
    package func send(text: String) async throws(WebSocketSendError) {
        try await send(role.frame(.text, Array(text.utf8)))
    }

    /// As `send(text:)`.
    package func send(binary: [UInt8]) async throws(WebSocketSendError) {
        try await send(role.frame(.binary, binary))
    }

    /// The answer comes as `.pong` with the same payload, of at most 125 bytes.
    package func ping(_ payload: [UInt8] = []) async throws(WebSocketSendError) {
        guard payload.count <= 125 else { throw .pingTooLong }
        try await send(role.frame(.ping, payload))
    }

    /// Starts the closing handshake and waits for its end, `closeTimeout` at most.
    ///
    /// What the peer still sends before its own close frame is delivered as far as the reader has
    /// room for it. On a connection that has ended it tells how.
    ///
    /// - Parameters:
    ///   - code: One that may not stand on the wire, 1005 among them, sends a close frame without.
    ///   - reason: Cut to 123 bytes.
    /// - Returns: What `.closed` says too.
    @discardableResult
    package func close(code: UInt16 = 1000, reason: String = "") async -> WebSocketCloseReport {
        let frame = CloseFrame(code: code, reason: reason)
        handler.eventLoop.execute { [handler] in handler.value.close(frame) }
        return await end()
    }

    /// Reads nothing more, not even pings, and keeps the transport open: to the peer it looks as if
    /// the machine at this end were gone.
    package func freeze() {
        handler.eventLoop.execute { [handler] in handler.value.freeze() }
    }

    /// Waits for the end, whoever brings it.
    package func end() async -> WebSocketCloseReport {
        do {
            return try await ended.get()
        } catch {
            return WebSocketCloseReport(
                code: CloseFrame.abnormal,
                reason: String(describing: error),
                initiator: .transport,
                clean: false
            )
        }
    }

    /// Ends the transport without a word; `.closed` says 1006.
    package func drop() {
        handler.eventLoop.execute { [handler] in handler.value.drop() }
    }

    private func send(_ frame: [UInt8]) async throws(WebSocketSendError) {
        let loop = handler.eventLoop
        let sent = loop.makePromise(of: Void.self)
        let answer = loop.makePromise(of: Void.self)
        sent.futureResult.cascade(to: answer)
        loop.execute { [handler] in handler.value.send(frame, promise: sent) }
        do {
            try await withTaskCancellationHandler {
                try await answer.futureResult.get()
            } onCancel: {
                answer.fail(WebSocketSendError.cancelled)
            }
        } catch let error as WebSocketSendError {
            throw error
        } catch {
            throw .transport(String(describing: error))
        }
    }
}
