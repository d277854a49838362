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

/// Why a message, or a ping, was not sent.
package enum WebSocketSendError: Error, Sendable, Equatable {
    /// One side has sent its close frame, or the connection has ended.
    case closed
    /// The transport failed before all of it was out; it may have arrived in part, never whole.
    case transport(String)
    /// A ping carries at most 125 bytes.
    case pingTooLong
    /// The caller was cancelled while waiting; the whole of it still goes out, if the peer reads.
    case cancelled
}

/// How much one connection may take.
package struct WebSocketLimits: Sendable, Equatable {
    /// Bytes of one message, over all its fragments; more fails the connection with 1009.
    package var maximumMessage: Int
    /// Bytes of one frame; more fails the connection with 1009.
    package var maximumFrame: Int
    /// From the first close frame, ours or the peer's, to the end of the transport at the latest.
    package var closeTimeout: Duration
    /// With this many events unread, nothing more is read from the transport.
    package var queuedEvents: Int
    /// With this many bytes of messages unread, nothing more is read from the transport.
    ///
    /// One message may go beyond it, so that the bound is this and `maximumMessage` together.
    package var queuedBytes: Int

    package init(
        maximumMessage: Int = 1 << 20,
        maximumFrame: Int = 1 << 20,
        closeTimeout: Duration = .seconds(2),
        queuedEvents: Int = 256,
        queuedBytes: Int = 4 << 20
    ) {
        self.maximumMessage = maximumMessage
        self.maximumFrame = maximumFrame
        self.closeTimeout = closeTimeout
        self.queuedEvents = queuedEvents
        self.queuedBytes = queuedBytes
    }
}

/// Which side of a connection we are.
package enum WebSocketRole: Sendable {
    /// Masks what it sends, each frame with a key of its own, which ought to be unpredictable.
    case client(maskKeys: @Sendable () -> UInt32)
    case server

    var isServer: Bool {
        switch self {
        case .client: false
        case .server: true
        }
    }

    /// A frame as this side sends it.
    func frame(_ opcode: Opcode, _ payload: some Collection<UInt8>) -> [UInt8] {
        switch self {
        case .client(let maskKeys):
            FrameWriter.bytes(opcode, payload, mask: MaskingKey(maskKeys()))
        case .server:
            FrameWriter.bytes(opcode, payload)
        }
    }
}
