import DequeModule
import Model
import NIOCore
import NIOHTTP2
import Observer
import Platform

/// The connection of an app that speaks HTTP/2.
///
/// Each of its streams is an exchange, which passes over a stream of one connection to the backend.
final class HTTP2AppConnection: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    let number: Int
    let peer: String
    let peerUser: EventLoopFuture<PeerUser>?
    private let listener: Listener
    private let shared: RelayContext
    private let watch = FrameWatch(HTTP2Limits.meter(ofClient: true))
    /// The number of streams that the app may open at once, whose memory is set aside.
    private let streamLimit: Int
    /// The memory that its streams, and those to the backend, may take up beyond that.
    let budget: WindowBudget
    private var context: ChannelHandlerContext?
    private var streams = 0
    private var lastStream = HTTP2StreamID.rootStream
    private var idleSince: NIODeadline?
    /// Whether the app has reset it.
    private(set) var isReset = false
    /// The newest answers that were written, within the time in which a reset casts doubt on them.
    private var deliveries = Deque<(exchange: Int, at: NIODeadline)>()
    /// More answers than an app leaves unread.
    private static let deliveryLimit = 256
    /// Whether the app has sent its settings, with which every connection begins.
    private var hasBegun = false
    /// Whether the app has been told to send nothing new over it.
    private var isLeaving = false
    /// Whether it has been told that the app has broken the protocol.
    private var isBroken = false
    private var backend: HTTP2Backend?

    private init(_ app: AppChannel) {
        number = app.number
        peer = app.peer
        peerUser = app.peerUser
        listener = app.listener
        shared = app.shared
        streamLimit = HTTP2Limits.streams(within: shared.streamBudget)
        budget = WindowBudget(limit: HTTP2Limits.connectionBudget, within: shared.streamBudget)
    }

    /// Takes a connection over from the handler that has read its beginning.
    ///
    /// - Throws: If the connection is over.
    static func install(
        behind app: AppChannel,
        in context: ChannelHandlerContext
    ) throws -> HTTP2AppConnection {
        let connection = HTTP2AppConnection(app)
        let loop = context.eventLoop
        let bound = NIOLoopBound(connection, eventLoop: loop)
        let frames = NIOHTTP2Handler(
            mode: .server,
            eventLoop: loop,
            connectionConfiguration: HTTP2Limits.connection(streams: connection.streamLimit),
            streamConfiguration: HTTP2Limits.stream
        ) { stream in
            stream.eventLoop.makeCompletedFuture { try bound.value.begin(stream) }
        }
        let operations = context.pipeline.syncOperations
        try operations.addHandlers(
            [connection.watch, frames, connection],
            position: .after(app)
        )
        try context.channel.syncOptions?.setOption(.autoRead, value: true)
        return connection
    }

    private func begin(_ stream: any Channel) throws {
        try stream.syncOptions?.setOption(.autoRead, value: false)
        lastStream =
            try stream.syncOptions?.getOption(HTTP2StreamChannelOptions.streamID)
            ?? lastStream
        watch.lastStream = lastStream
        streams += 1
        stream.closeFuture.assumeIsolated().whenComplete { [self] _ in
            streams -= 1
            closeIfLeft()
        }
        let codec = StreamCodec(isOfBackend: false, within: budget)
        let app = AppChannel(listener, stream: AppStream(codec, on: self), shared: shared)
        try stream.pipeline.syncOperations.addHandlers([codec, app])
    }

    /// Whether no stream has been opened to the backend.
    var isUnused: Bool { backend == nil }

    /// Opens a stream to the backend.
    func openStream() -> EventLoopFuture<any Channel> {
        let backend = backend ?? HTTP2Backend(listener, for: self, shared: shared)
        self.backend = backend
        return backend.openStream()
    }

    /// Records that an answer was written.
    func recordDelivery(of exchange: Int) {
        if deliveries.count >= Self.deliveryLimit { deliveries.removeFirst() }
        deliveries.append((exchange, .now()))
    }

    /// The app may not have read what was written before it reset the connection.
    private func doubtDeliveries() {
        let now = NIODeadline.now()
        for delivery in deliveries where now - delivery.at <= shared.resetWindow {
            shared.observe(.delivered(whole: false), of: delivery.exchange)
        }
        deliveries = []
    }

    /// Tells the app to open no more streams over this connection, as the backend does, and ends it once
    /// there are none.
    func leave(_ code: HTTP2ErrorCode, _ details: ByteBuffer? = nil) {
        guard let context, !isLeaving else { return }
        isLeaving = true
        let goAway = HTTP2Frame.FramePayload.goAway(
            lastStreamID: lastStream,
            errorCode: code,
            opaqueData: details
        )
        let frame = HTTP2Frame(streamID: .rootStream, payload: goAway)
        watch.withoutWatching { context.writeAndFlush(wrapOutboundOut(frame), promise: nil) }
        // Streams whose backend has ended are about to end.
        context.eventLoop.assumeIsolated().execute { [self] in closeIfLeft() }
    }

    private func closeIfLeft() {
        if isLeaving, streams == 0 { close() }
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        shared.streamBudget.reserve(streamLimit * HTTP2Limits.streamMemory)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        shared.streamBudget.giveBack(streamLimit * HTTP2Limits.streamMemory)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        hasBegun = true
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // There is no half of a connection in HTTP/2.
        if case .inputClosed? = event as? ChannelEvent { return close() }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if watch.hasFailed, !isBroken { shared.recordUnreadable(.brokenHTTP2) }
        isBroken = watch.hasFailed
        guard watch.hasFailed || !(error is any NIOHTTP2Error) else {
            // A request that NIO refuses has no stream here.
            if watch.isReading { shared.recordUnreadable(.malformed) }
            return
        }
        if error is IOError {
            isReset = true
            doubtDeliveries()
        }
        close()
    }

    func channelInactive(context: ChannelHandlerContext) {
        shared.closed(number)
        backend?.close()
        context.fireChannelInactive()
    }
}

extension HTTP2AppConnection: RelayedConnection {
    func close() {
        context?.close(promise: nil)
    }

    func closeIfIdle(at now: NIODeadline, _ limits: IdleLimits) {
        guard streams == 0 else { return idleSince = nil }
        guard let idleSince else { return idleSince = now }
        let seconds = hasBegun ? limits.idle : limits.head
        if now - idleSince > .nanoseconds(Int64(seconds * 1e9)) { leave(.noError) }
    }
}

/// A stream of an app, and the connection that carries it.
struct AppStream {
    let codec: StreamCodec
    let connection: HTTP2AppConnection

    init(_ codec: StreamCodec, on connection: HTTP2AppConnection) {
        self.codec = codec
        self.connection = connection
    }
}
