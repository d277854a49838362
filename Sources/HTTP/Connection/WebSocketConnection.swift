import NIOCore

/// A WebSocket connection, from the upgrade to the end of its transport.
///
/// Its owner must close it; releasing it does not.
package struct WebSocketConnection: Sendable {
    /// The only sequence of its events, for one reader.
    ///
    /// It must be read, because unread events stop the peer.
    package let events: WebSocketEvents
    /// The subprotocol that the server chose among the requested ones; `nil` on the server's side.
    let subprotocol: String?
    /// The compression that was agreed on, or `nil` for none.
    let compression: AgreedCompression?
    private let role: WebSocketRole
    private let handler: NIOLoopBound<WebSocketHandler>
    private let ended: EventLoopFuture<WebSocketCloseReport>

    /// Turns an upgraded channel into a connection; call it on the channel's event loop, before the
    /// channel receives the bytes after the upgrade.
    ///
    /// - Parameters:
    ///   - channel: The channel, whose handlers no longer include HTTP and pass `ByteBuffer`s.
    ///   - role: The side of the connection.
    ///   - limits: The limits of the connection.
    ///   - subprotocol: The subprotocol that the upgrade selected.
    ///   - compression: The compression that the upgrade has agreed on.
    /// - Throws: If the channel has closed in the meantime.
    init(
        on channel: any Channel,
        role: WebSocketRole,
        limits: WebSocketLimits = WebSocketLimits(),
        subprotocol: String? = nil,
        compression: AgreedCompression? = nil
    ) throws {
        let promise = channel.eventLoop.makePromise(of: WebSocketCloseReport.self)
        let queue = WebSocketEventQueue(limits: limits)
        let handler = WebSocketHandler(
            role: role,
            limits: limits,
            compression: compression.map { CompressionContext($0, isServer: role.isServer) },
            queue: queue,
            end: promise
        )
        do {
            try channel.pipeline.syncOperations.addHandler(handler)
        } catch {
            promise.fail(error)
            throw error
        }
        self.role = role
        self.subprotocol = subprotocol
        self.compression = compression
        self.handler = NIOLoopBound(handler, eventLoop: channel.eventLoop)
        ended = promise.futureResult
        events = WebSocketEvents(queue: queue, handler: self.handler)
    }

    /// Sends a message, and returns when the transport has accepted all of it: a peer that does not
    /// read suspends the sender until the connection is closed or the caller is cancelled.
    package func send(text: String) async throws(WebSocketSendError) {
        try await send(.text, Array(text.utf8))
    }

    /// Sends a binary message; see `send(text:)`.
    func send(binary: [UInt8]) async throws(WebSocketSendError) {
        try await send(.binary, binary)
    }

    /// Sends a ping; the response arrives as `.pong` with the same payload, of at most 125 bytes.
    package func ping(_ payload: [UInt8] = []) async throws(WebSocketSendError) {
        guard payload.count <= 125 else { throw .pingTooLong }
        try await send(.ping, payload)
    }

    /// Starts the closing handshake and waits for its end, at most for `closeTimeout`.
    ///
    /// Messages that the peer sends before its own close frame are delivered as far as the reader
    /// has room for them. On a connection that has ended, it returns the report of that end.
    ///
    /// - Parameters:
    ///   - code: The close code; one that must not be sent, such as 1005, is omitted.
    ///   - reason: The reason, which is cut to 123 bytes.
    /// - Returns: The same report as `.closed`.
    @discardableResult
    package func close(code: UInt16 = 1000, reason: String = "") async -> WebSocketCloseReport {
        let frame = CloseFrame(code: code, reason: reason)
        handler.eventLoop.execute { [handler] in handler.value.close(frame) }
        return await end()
    }

    /// Stops reading, even pings, but keeps the transport open: to the peer it looks as if this
    /// machine were gone.
    package func freeze() {
        handler.eventLoop.execute { [handler] in handler.value.freeze() }
    }

    /// Waits for the end of the connection, whichever side causes it.
    package func end() async -> WebSocketCloseReport {
        do {
            return try await ended.get()
        } catch {
            return WebSocketCloseReport(
                code: CloseFrame.abnormal,
                reason: TransportError.words(of: error),
                initiator: .transport,
                clean: false
            )
        }
    }

    /// Ends the transport without a close frame; `.closed` reports 1006.
    package func drop() {
        handler.eventLoop.execute { [handler] in handler.value.drop() }
    }

    /// The amount of compressed content that has arrived so far; `nil` without compression.
    package func traffic() async -> CompressedTraffic? {
        guard compression != nil else { return nil }
        let traffic = handler.eventLoop.submit { [handler] in handler.value.traffic }
        return try? await traffic.get()
    }

    private func send(
        _ opcode: Opcode,
        _ payload: [UInt8]
    ) async throws(WebSocketSendError) {
        let loop = handler.eventLoop
        let sent = loop.makePromise(of: Void.self)
        let answer = loop.makePromise(of: Void.self)
        sent.futureResult.cascade(to: answer)
        loop.execute { [handler] in handler.value.send(opcode, payload, promise: sent) }
        do {
            try await withTaskCancellationHandler {
                try await answer.futureResult.get()
            } onCancel: {
                answer.fail(WebSocketSendError.cancelled)
            }
        } catch let error as WebSocketSendError {
            throw error
        } catch {
            throw .transport(TransportError.words(of: error))
        }
    }
}

/// The reason why a message, or a ping, was not sent.
package enum WebSocketSendError: Error, Sendable, Equatable {
    /// One side has sent its close frame, or the connection has ended.
    case closed
    /// The transport failed during the send; the peer may have received a part, but never the
    /// whole.
    case transport(String)
    /// A ping carries at most 125 bytes.
    case pingTooLong
    /// The caller was cancelled while waiting; the whole message is still sent if the peer reads.
    case cancelled
}

/// The limits of one connection.
package struct WebSocketLimits: Sendable, Equatable {
    /// The bytes of one message, over all its fragments; more fail the connection with 1009.
    var maximumMessage: Int
    /// The bytes of one frame; more fail the connection with 1009.
    var maximumFrame: Int
    /// The time from the first close frame, ours or the peer's, to the end of the transport.
    var closeTimeout: Duration
    /// The number of unread events at which reading from the transport stops.
    var queuedEvents: Int
    /// The number of unread bytes of messages at which reading from the transport stops.
    ///
    /// One message may exceed it, so that the actual bound is the sum of this and `maximumMessage`.
    var queuedBytes: Int
    /// The least time between two reads of small messages that come in quick succession, so that
    /// one read brings several of them; `nil` to read each as it comes.
    var readInterval: Duration?

    package init(
        maximumMessage: Int = 1 << 20,
        maximumFrame: Int = 1 << 20,
        closeTimeout: Duration = .seconds(2),
        queuedEvents: Int = 256,
        queuedBytes: Int = 4 << 20,
        readInterval: Duration? = nil
    ) {
        self.maximumMessage = maximumMessage
        self.maximumFrame = maximumFrame
        self.closeTimeout = closeTimeout
        self.queuedEvents = queuedEvents
        self.queuedBytes = queuedBytes
        self.readInterval = readInterval
    }
}

/// The side of a connection.
enum WebSocketRole: Sendable {
    /// The client, which masks each frame with a key of its own; the keys should be unpredictable.
    case client(maskKeys: @Sendable () -> UInt32)
    case server

    var isServer: Bool {
        switch self {
        case .client: false
        case .server: true
        }
    }

    /// Returns a frame as this side sends it.
    func frame(
        _ opcode: Opcode,
        _ payload: some Collection<UInt8>,
        isCompressed: Bool = false
    ) -> [UInt8] {
        let mask: MaskingKey? =
            switch self {
            case .client(let maskKeys): MaskingKey(maskKeys())
            case .server: nil
            }
        return FrameWriter.bytes(opcode, payload, isCompressed: isCompressed, mask: mask)
    }
}
