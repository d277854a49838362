import DequeModule
import NIOCore
import NIOHPACK
import NIOHTTP2
import Platform

/// One stream of HTTP/2 as the relay uses it: heads, the bytes of a body, and an end with or without
/// trailers.
///
/// The bytes pass through the pipeline, as those of a connection of HTTP/1.1 do. What is written is held
/// until the next write, so that the end of the stream can be in the same frame.
final class StreamCodec: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = HTTP2Frame.FramePayload

    /// The rules for the blocks of a backend, or `nil` for those of an app, which has one before its
    /// trailers.
    private var rules: HeaderBlockRules?
    /// The heads and parts of bodies that have come and were not asked for.
    private var waiting = Deque<HTTP2Frame.FramePayload>()
    /// The heads among them.
    private var waitingHeads = 0
    /// More than a peer sends before any is taken: no window holds up heads.
    private static let waitingHeadLimit = 32
    private var heads = Deque<HPACKHeaders>()
    private var hasFinalHead = false
    /// The fields after the body.
    private(set) var trailers: HPACKHeaders?
    /// Whether the peer has sent all of its half.
    private(set) var isInputEnded = false
    private var context: ChannelHandlerContext?
    private var held: (payload: HTTP2Frame.FramePayload, promise: EventLoopPromise<Void>?)?
    private var window = StreamWindow()
    private let budget: WindowBudget
    /// Whether something is to be read that has not come.
    private var isReading = false
    /// Whether the stream is closed from here.
    private var isClosing = false
    /// Whether the peer knows of the stream.
    private var isKnown: Bool
    /// Fulfilled when our half is written, once it is ended.
    private var ended: EventLoopFuture<Void>?

    /// - Parameters:
    ///   - isOfBackend: Whether the peer answers.
    ///   - budget: The memory that the streams of the connection share.
    init(isOfBackend: Bool, within budget: WindowBudget) {
        rules = isOfBackend ? HeaderBlockRules() : nil
        isKnown = !isOfBackend
        self.budget = budget
    }

    /// Whether a head has come that was not taken.
    var hasHead: Bool { !heads.isEmpty }

    /// Takes the next head.
    func takeHead() -> HPACKHeaders? { heads.popFirst() }

    func write(_ head: HPACKHeaders) {
        hold(.headers(.init(headers: head)), nil)
    }

    /// Ends our half of the stream.
    ///
    /// - Parameters:
    ///   - trailers: The fields after the body, or `nil` for none.
    ///   - promise: Is fulfilled when everything is written.
    func end(_ trailers: HPACKHeaders?, promise: EventLoopPromise<Void>? = nil) {
        guard ended == nil, let context else {
            promise?.fail(ChannelError.alreadyClosed)
            return
        }
        let written = promise ?? context.eventLoop.makePromise()
        ended = written.futureResult
        let last = held
        held = nil
        isKnown = true
        switch (trailers, last?.payload) {
        case (let trailers?, _):
            if let last { context.write(wrapOutboundOut(last.payload), promise: last.promise) }
            let end = HTTP2Frame.FramePayload.headers(.init(headers: trailers, endStream: true))
            context.write(wrapOutboundOut(end), promise: written)
        case (nil, .headers(var head)?):
            head.endStream = true
            context.write(wrapOutboundOut(.headers(head)), promise: written)
        case (nil, .data(var data)?):
            data.endStream = true
            if let earlier = last?.promise { written.futureResult.cascade(to: earlier) }
            context.write(wrapOutboundOut(.data(data)), promise: written)
        case (nil, _):
            let end = HTTP2Frame.FramePayload.Data(data: .byteBuffer(ByteBuffer()), endStream: true)
            context.write(wrapOutboundOut(.data(end)), promise: written)
        }
    }

    /// Resets the stream once our half is written, unless the peer's has ended by then.
    func resetOnceWritten(_ code: HTTP2ErrorCode) {
        guard let ended else { return reset(code) }
        ended.assumeIsolated().whenComplete { [self] _ in reset(code) }
    }

    /// Resets the stream, unless both halves are over.
    func reset(_ code: HTTP2ErrorCode) {
        guard let context, context.channel.isActive, ended == nil || !isInputEnded else { return }
        drop(with: ChannelError.ioOnClosedChannel)
        isClosing = true
        if isKnown { context.writeAndFlush(wrapOutboundOut(.rstStream(code)), promise: nil) }
        context.close(promise: nil)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        window.close(within: budget)
    }

    /// Reads, and lets the peer send what there is room for now.
    func read(context: ChannelHandlerContext) {
        guard !isReading else { return }
        isReading = true
        // This delivers all that has come, so that the end of the stream is known, if it has.
        if !waiting.isEmpty { deliver(context) }
        guard !isInputEnded, !isClosing, context.channel.isActive,
            let count = window.grant(within: budget)
        else { return }
        context.write(wrapOutboundOut(.windowUpdate(windowSizeIncrement: count)), promise: nil)
        context.flush()
    }

    func close(
        context: ChannelHandlerContext,
        mode: CloseMode,
        promise: EventLoopPromise<Void>?
    ) {
        isClosing = true
        context.close(mode: mode, promise: promise)
    }

    func channelActive(context: ChannelHandlerContext) {
        // NIO would keep every frame, with those that nothing holds up, until the stream is read.
        context.read()
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let payload = unwrapInboundIn(data)
        switch payload {
        case .headers:
            waitingHeads += 1
            guard waitingHeads <= Self.waitingHeadLimit else {
                return refuse(.flood, context)
            }
        case .data: break
        case .alternativeService, .goAway, .origin, .ping, .priority, .pushPromise, .rstStream,
            .settings, .windowUpdate:
            return
        }
        waiting.append(payload)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if isReading, !waiting.isEmpty { deliver(context) }
        context.read()
    }

    private func deliver(_ context: ChannelHandlerContext) {
        isReading = false
        waitingHeads = 0
        while let payload = waiting.popFirst() { receive(payload, context) }
        context.fireChannelReadComplete()
    }

    private func receive(_ payload: HTTP2Frame.FramePayload, _ context: ChannelHandlerContext) {
        switch payload {
        case .headers(let block):
            do throws(HTTP2Violation) { try receive(block) } catch { refuse(error, context) }
        case .data(let part):
            guard case .byteBuffer(let bytes) = part.data else { return }
            window.take(bytes.readableBytes + (part.paddingBytes.map { $0 + 1 } ?? 0))
            if part.endStream { isInputEnded = true }
            if bytes.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(bytes)) }
        default: break
        }
    }

    private func refuse(_ violation: HTTP2Violation, _ context: ChannelHandlerContext) {
        guard !isClosing else { return }
        waiting = []
        context.fireErrorCaught(violation)
        isClosing = true
        context.close(promise: nil)
    }

    private func receive(_ block: HTTP2Frame.FramePayload.Headers) throws(HTTP2Violation) {
        let isTrailer = rules?.hasFinalHead ?? hasFinalHead
        try rules?.check(block.headers, endsStream: block.endStream)
        hasFinalHead = true
        if isTrailer { trailers = block.headers } else { heads.append(block.headers) }
        if block.endStream { isInputEnded = true }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = unwrapOutboundIn(data)
        guard bytes.readableBytes > 0 else {
            release()
            promise?.succeed()
            return
        }
        hold(.data(.init(data: .byteBuffer(bytes))), promise)
    }

    func flush(context: ChannelHandlerContext) {
        release()
        context.flush()
    }

    /// What has come before an error or the end is delivered before it, as by NIO.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if !waiting.isEmpty { deliver(context) }
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if !waiting.isEmpty { deliver(context) }
        drop(with: ChannelError.ioOnClosedChannel)
        context.fireChannelInactive()
    }

    private func hold(_ payload: HTTP2Frame.FramePayload, _ promise: EventLoopPromise<Void>?) {
        release()
        guard ended == nil else {
            promise?.fail(ChannelError.alreadyClosed)
            return
        }
        held = (payload, promise)
    }

    private func release() {
        guard let (payload, promise) = held else { return }
        held = nil
        isKnown = true
        context?.write(wrapOutboundOut(payload), promise: promise)
    }

    private func drop(with error: any Error) {
        let promise = held?.promise
        held = nil
        promise?.fail(error)
    }
}
