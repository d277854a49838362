import Model
import NIOCore
import NIOHTTP2
import Observer
import Platform

/// The connection to the backend that carries the streams of one connection of an app.
final class HTTP2Backend: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    private let listener: Listener
    private let shared: RelayContext
    private var app: HTTP2AppConnection?
    private let budget: WindowBudget
    private let watch = FrameWatch(HTTP2Limits.meter(ofClient: false))
    private var ready: EventLoopFuture<NIOHTTP2Handler.StreamMultiplexer>?
    private var channel: (any Channel)?
    private var streams: [ObjectIdentifier: any Channel] = [:]
    /// Whether the backend has shown that it speaks HTTP/2.
    private var hasSettings = false
    private var isUnspoken = false
    private var isOver = false

    init(_ listener: Listener, for app: HTTP2AppConnection, shared: RelayContext) {
        self.listener = listener
        self.app = app
        budget = app.budget
        self.shared = shared
    }

    /// Opens a stream, over a connection that is opened at the first one.
    func openStream() -> EventLoopFuture<any Channel> {
        let loop = shared.loop
        guard !isOver else { return loop.makeFailedFuture(HTTP2BackendError.over) }
        let ready = ready ?? connect()
        self.ready = ready
        let bound = NIOLoopBound(self, eventLoop: loop)
        return ready.flatMap { multiplexer in
            multiplexer.createStreamChannel { stream in
                stream.eventLoop.makeCompletedFuture { try bound.value.begin(stream) }
            }
        }
    }

    private func begin(_ stream: any Channel) throws {
        try stream.syncOptions?.setOption(.autoRead, value: false)
        let id = ObjectIdentifier(stream)
        streams[id] = stream
        stream.closeFuture.assumeIsolated().whenComplete { [self] _ in streams[id] = nil }
        let codec = StreamCodec(isOfBackend: true, within: budget)
        try stream.pipeline.syncOperations.addHandlers([codec, UpstreamChannel(stream: codec)])
    }

    private func connect() -> EventLoopFuture<NIOHTTP2Handler.StreamMultiplexer> {
        let loop = shared.loop
        let bound = NIOLoopBound(self, eventLoop: loop)
        return listener.connector.connect(offeringHTTP2: true) { _ in }
            .flatMapThrowing { channel in try bound.value.begin(over: channel) }
    }

    private func begin(over channel: any Channel) throws -> NIOHTTP2Handler.StreamMultiplexer {
        let speaks = !listener.origin.isSecure || OriginConnector.negotiatesHTTP2(channel)
        guard speaks, !isOver else {
            OriginConnector.close(channel)
            guard speaks else { throw noHTTP2() }
            throw HTTP2BackendError.over
        }
        let frames = NIOHTTP2Handler(
            mode: .client,
            eventLoop: shared.loop,
            connectionConfiguration: HTTP2Limits.backendConnection,
            streamConfiguration: HTTP2Limits.stream
        ) { stream in
            // A push, which is turned off.
            stream.close()
        }
        self.channel = channel
        try channel.pipeline.syncOperations.addHandlers([watch, frames, self])
        try channel.syncOptions?.setOption(.autoRead, value: true)
        return try frames.syncMultiplexer()
    }

    private func noHTTP2() -> HTTP2BackendError {
        shared.speaksHTTP2[listener.name] = nil
        if !isUnspoken { shared.recordUnreadable(.http2) }
        isUnspoken = true
        return .unspoken
    }

    /// Ends it with everything on it.
    func close() {
        app = nil
        isOver = true
        if let channel { OriginConnector.close(channel) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data).payload {
        case .settings: hasSettings = true
        case .goAway(_, let code, let details): app?.leave(code, details)
        case .alternativeService, .data, .headers, .origin, .ping, .priority, .pushPromise,
            .rstStream, .windowUpdate:
            break
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent {
            if !hasSettings { fail(with: noHTTP2()) }
            context.close(promise: nil)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard watch.hasFailed || !(error is any NIOHTTP2Error) else { return }
        fail(with: hasSettings ? error : noHTTP2())
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        isOver = true
        app?.leave(.noError)
        context.fireChannelInactive()
    }

    private func fail(with error: any Error) {
        for stream in Array(streams.values) { stream.pipeline.fireErrorCaught(error) }
    }
}

/// Why a stream to the backend cannot be opened.
enum HTTP2BackendError: Error {
    /// The backend does not speak HTTP/2.
    case unspoken
    /// The connection has ended.
    case over
}
