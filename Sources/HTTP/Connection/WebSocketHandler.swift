import NIOCore
import NIOSSL

/// Runs a `WebSocketMachine` on a channel, with backpressure in both directions.
///
/// Everything here happens on the channel's event loop.
final class WebSocketHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let role: WebSocketRole
    private let closeTimeout: TimeAmount
    private let queue: WebSocketEventQueue
    private let end: EventLoopPromise<WebSocketCloseReport>
    private var machine: WebSocketMachine
    /// `nil` without compression.
    private let compression: CompressionContext?
    private var pongs = PongWindow()
    private var context: ChannelHandlerContext?
    /// The bytes that have arrived and are not read yet.
    private var inbox = ByteBuffer()
    private var isPumping = false
    private var hasUnflushedPongs = false
    /// Whether a read was requested while there was no room.
    private var isReadHeld = false
    /// `nil` if everything is read as it comes.
    private var pacing: ReadPacing?
    /// The next read, which waits so that more can come.
    private var pausedRead: Scheduled<Void>?
    /// Whether a ping was sent whose pong is to be read as it comes.
    private var awaitsPong = false
    /// Whether a caller waits for the end, so that reading does not wait for the reader.
    private var isCloseRequested = false
    /// Whether an event was dropped for lack of room.
    private var isDropping = false
    /// Whether reading has stopped until the transport ends.
    private var isFrozen = false
    /// Why the transport ended, and by which side; `nil` while it is open.
    private var transportEnd: (reason: String, initiator: WebSocketCloseReport.Initiator)?
    private var lastError: (any Error)?
    private var timer: Scheduled<Void>?

    init(
        role: WebSocketRole,
        limits: WebSocketLimits,
        compression: CompressionContext?,
        queue: WebSocketEventQueue,
        end: EventLoopPromise<WebSocketCloseReport>
    ) {
        self.role = role
        self.queue = queue
        self.end = end
        closeTimeout = TimeAmount(limits.closeTimeout)
        pacing = limits.readInterval.map { ReadPacing(interval: TimeAmount($0)) }
        self.compression = compression
        machine = WebSocketMachine(
            expectsMask: role.isServer,
            limits: limits,
            inflater: compression?.inflater
        )
    }

    /// Fails the promise of the end if the handler is removed before it is fulfilled.
    deinit {
        end.fail(ChannelError.alreadyClosed)
    }

    // MARK: - Requests of the connection

    func send(_ opcode: Opcode, _ payload: [UInt8], promise: EventLoopPromise<Void>) {
        guard machine.phase.canSend, transportEnd == nil, let context else {
            promise.fail(WebSocketSendError.closed)
            return
        }
        let bytes = ByteBuffer(bytes: frame(opcode, payload))
        context.writeAndFlush(wrapOutboundOut(bytes), promise: promise)
        if opcode == .ping {
            awaitsPong = true
            endPause()
        }
    }

    /// Returns a frame as it is sent, compressed if that was agreed on; here, since messages are
    /// compressed in the order in which they are sent.
    private func frame(_ opcode: Opcode, _ payload: [UInt8]) -> [UInt8] {
        guard let deflater = compression?.deflater, !opcode.isControl, !payload.isEmpty else {
            return role.frame(opcode, payload)
        }
        return role.frame(opcode, deflater.deflate(payload), isCompressed: true)
    }

    /// The compressed content so far; `nil` without compression.
    var traffic: CompressedTraffic? { compression?.inflater.traffic }

    func close(_ frame: CloseFrame) {
        isCloseRequested = true
        if transportEnd == nil { perform(machine.close(frame)) }
        pump()
    }

    func freeze() {
        isFrozen = true
    }

    /// Bypasses TLS, whose closing alert would wait for a peer that may be gone.
    func drop() {
        guard let context, transportEnd == nil else { return }
        let operations = context.pipeline.syncOperations
        let lowest = (try? operations.context(handlerType: NIOSSLHandler.self)) ?? context
        transportEnd = ("dropped", .us)
        lowest.close(mode: .all, promise: nil)
        transportHasEnded()
    }

    func readerIsIdle() {
        perform(machine.settled())
    }

    func queueHasRoom() {
        pump()
        if isReadHeld, isReading {
            isReadHeld = false
            context?.read()
        }
    }

    // MARK: - Events of the channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        transportHasEnded()
        self.context = nil
    }

    /// Handles the end of the peer's half on a channel that allows half-closed transports, which
    /// ends the WebSocket.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { context.close(mode: .all, promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        pacing?.received(bytes.readableBytes)
        if inbox.readableBytes == 0 {
            inbox = bytes
        } else {
            inbox.writeBuffer(&bytes)
        }
        pump()
    }

    func read(context: ChannelHandlerContext) {
        guard pausedRead == nil else { return }
        let loop = context.eventLoop
        guard let pause = pacing?.pause(at: loop.now), isReading, !readsAtOnce else {
            return readNow(context)
        }
        pausedRead = loop.assumeIsolated().scheduleTask(in: pause) { [weak self] in
            self?.endPause()
        }
    }

    private func readNow(_ context: ChannelHandlerContext) {
        if isReading {
            context.read()
        } else {
            isReadHeld = true
        }
    }

    private func endPause() {
        guard let paused = pausedRead.take() else { return }
        paused.cancel()
        if let context { readNow(context) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        transportHasEnded()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        lastError = error
        context.close(mode: .all, promise: nil)
    }

    // MARK: - Reading and writing

    /// Whether to read: while open, the reader determines the pace; while closing, the time limit
    /// does.
    private var isReading: Bool {
        if isFrozen { return transportEnd != nil }
        return isCloseRequested || machine.phase != .open || queue.hasRoom
    }

    /// Whether a caller waits for the next message.
    private var readsAtOnce: Bool { awaitsPong || isCloseRequested || machine.phase != .open }

    private func transportHasEnded() {
        timer?.cancel()
        pausedRead?.cancel()
        if transportEnd == nil {
            let reason = lastError.map(TransportError.words(of:)) ?? "the transport ended"
            transportEnd = (reason, .transport)
        }
        pump()
    }

    /// Reads what has arrived as far as there is room for it.
    private func pump() {
        guard !isPumping else { return }
        isPumping = true
        defer { isPumping = false }
        while isReading {
            var used = 0
            let actions = machine.next(in: inbox.readableBytesUInt8Span, from: &used)
            inbox.moveReaderIndex(forwardBy: used)
            guard let actions else {
                inbox = ByteBuffer()
                if let (reason, initiator) = transportEnd {
                    perform(machine.transportEnded(reason, by: initiator))
                }
                break
            }
            perform(actions)
        }
        queue.wakeReader()
        if hasUnflushedPongs {
            hasUnflushedPongs = false
            context?.flush()
        }
    }

    private func perform(_ actions: [WebSocketMachine.Action]) {
        for action in actions {
            switch action {
            case .deliver(let event): deliver(event)
            case .pong(let payload): if let pong = pongs.received(payload) { write(pong: pong) }
            case .settle: settle()
            case .sendClose(let frame): sendClose(frame)
            case .finish(let report): finish(report)
            case .drop: drop()
            }
        }
    }

    /// Delivers an event; after our close frame, drops it and all later ones if there is no room,
    /// so that the peer's close frame is not delayed, and what is delivered has no gap.
    private func deliver(_ event: WebSocketEvent) {
        if machine.phase != .open || isCloseRequested, !queue.hasRoom { isDropping = true }
        if !isDropping { queue.push(event) }
        if case .pong = event { awaitsPong = false }
    }

    private func write(pong payload: [UInt8]) {
        guard let context, transportEnd == nil else { return }
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenSuccess { [weak self] in
            guard let self, let next = pongs.sent(), machine.phase == .open else { return }
            write(pong: next)
            pump()
        }
        context.write(wrapOutboundOut(ByteBuffer(bytes: role.frame(.pong, payload))), promise: sent)
        hasUnflushedPongs = true
    }

    /// Waits for the reader's answers to what came before a violation, at most for `closeTimeout`.
    private func settle() {
        guard let context, transportEnd == nil, !isCloseRequested, !queue.isIdle() else {
            return perform(machine.settled())
        }
        startTimer(on: context)
    }

    private func startTimer(on context: ChannelHandlerContext) {
        timer?.cancel()
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: closeTimeout) { [weak self] in
            guard let self else { return }
            perform(machine.timedOut())
        }
    }

    private func sendClose(_ frame: CloseFrame) {
        guard let context, transportEnd == nil else { return }
        let bytes = ByteBuffer(bytes: role.frame(.close, frame.payload))
        context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
        startTimer(on: context)
        isReadHeld = false
        context.read()
    }

    /// Ends the server's half of the transport; the client waits for that.
    ///
    /// RFC 6455 section 7.1.1 requires it. The other half stays open until the peer ends it: if it
    /// were closed, further data from the peer would cause a reset, and our close frame might never
    /// be read.
    private func finish(_ report: WebSocketCloseReport) {
        queue.push(.closed(report))
        queue.wakeReader()
        end.succeed(report)
        if role.isServer, transportEnd == nil { context?.close(mode: .output, promise: nil) }
    }
}
