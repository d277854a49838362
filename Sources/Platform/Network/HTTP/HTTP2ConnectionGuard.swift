package import NIOCore
package import NIOHTTP2
import NIOSSL

/// Gives the faults of a connection of HTTP/2 to the requests on it, and ends it at the first.
///
/// `NIOHTTP2Handler` only reports an error of the connection. Without this handler the connection
/// stays open, keeps whatever still arrives, and its requests wait for their deadline. Of an error on
/// one stream, a request learns just the code with which the client resets that stream.
final class HTTP2ConnectionGuard: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame
    typealias OutboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    /// The limit for all that a connection receives around bodies, in bytes: headers, padding, and
    /// frames without content, of which NIO limits some kinds alone.
    static let maximumOverhead = 1 << 20
    /// The time in which a request that the pool gave to a connection just before begins its stream.
    private static let beginning = TimeAmount.milliseconds(10)
    /// A frame with one byte of content has nine of framing.
    fileprivate static let overheadPerBodyByte = 16

    private struct GoAway {
        let code: HTTP2ErrorCode
        let lastStream: HTTP2StreamID

        func fault(tookRequest: Bool) -> NetworkFault {
            .goneAway(code.name, tookRequest: tookRequest)
        }
    }

    private let bytes: HTTP2ByteGuard
    private let opening: HTTP2OpeningGuard?
    private var isUsed = false
    private var streams: [ObjectIdentifier: any Channel] = [:]
    /// The streams that have begun and whose request has not been written.
    private var unwritten = 0
    private var goAway: GoAway?
    /// Whether the frame that is read is the client's own.
    private var isLeaving = false
    /// Whether the connection gets no later requests.
    private var isRetired = false
    private var closing: Scheduled<Void>?
    /// The open streams on which an answer has begun.
    private var answered: Set<HTTP2StreamID> = []
    /// The stream that either side has just reset on purpose.
    private var resetStream: HTTP2StreamID?
    /// Streams that NIO has reset because of an error that it reports next.
    private var unexplained: [StreamClosedEvent] = []
    /// An error of TLS or of the system.
    private var transportError: (any Error)?

    private init(_ bytes: HTTP2ByteGuard, opening: HTTP2OpeningGuard?) {
        self.bytes = bytes
        self.opening = opening
    }

    /// Adds the handler before the one that distributes frames to streams, and another before the
    /// one that reads frames.
    ///
    /// - Parameters:
    ///   - operations: Of the connection's pipeline.
    ///   - opening: The guard until the server's first SETTINGS, or `nil` if they have been read.
    /// - Throws: If those are not in the pipeline.
    static func add(
        to operations: ChannelPipeline.SynchronousOperations,
        opening: HTTP2OpeningGuard? = nil
    ) throws {
        let frames = try operations.handler(type: NIOHTTP2Handler.self)
        let multiplexer = try operations.handler(type: HTTP2StreamMultiplexer.self)
        let bytes = HTTP2ByteGuard()
        try operations.addHandler(bytes, position: .before(frames))
        let connection = HTTP2ConnectionGuard(bytes, opening: opening)
        let settings = HTTP2SettingsGuard(of: connection, until: opening)
        try operations.addHandler(settings, position: .after(frames))
        try operations.addHandler(connection, position: .before(multiplexer))
    }

    /// Begins a stream; returns whether it is the first.
    func begin(_ stream: any Channel) -> Bool {
        defer { isUsed = true }
        let id = ObjectIdentifier(stream)
        streams[id] = stream
        unwritten += 1
        stream.closeFuture.assumeIsolated().whenComplete { [self] _ in
            streams[id] = nil
            if let connection = stream.parent { closeIfDone(connection) }
        }
        return !isUsed
    }

    /// Takes the connection out of AsyncHTTPClient's pool, by a GOAWAY that leaves out no request,
    /// which `pass` gives to it.
    fileprivate func leave(_ connection: any Channel, passing pass: (HTTP2Frame) -> Void) {
        let goAway = HTTP2Frame.FramePayload.goAway(
            lastStreamID: .maxID,
            errorCode: .noError,
            opaqueData: nil
        )
        isLeaving = true
        pass(HTTP2Frame(streamID: .rootStream, payload: goAway))
        isLeaving = false
        isRetired = true
        closeIfDone(connection)
    }

    /// Closes a connection that gets no later requests, once none is left on it.
    ///
    /// AsyncHTTPClient does so when its last stream ends, but not if that had ended already: the
    /// connection would stay open for as long as the server likes. It also counts a stream on which
    /// nothing was written as open for ever, since NIO reports no end of it.
    private func closeIfDone(_ connection: any Channel) {
        guard streams.isEmpty, isRetired || unwritten > 0, closing == nil else { return }
        let loop = connection.eventLoop.assumeIsolated()
        closing = loop.scheduleTask(in: Self.beginning) { [self] in
            closing = nil
            guard streams.isEmpty else { return }
            guard isRetired else { return retire(connection) }
            OriginConnector.closeBelowTLS(connection)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !bytes.isRefused, !isLeaving else { return }
        let frame = unwrapInboundIn(data)
        switch frame.payload {
        case .data(let part): bytes.bodyBytes += part.data.readableBytes
        case .goAway(let lastStream, let code, _):
            goAway = GoAway(code: code, lastStream: lastStream)
            isRetired = true
        case .rstStream: resetStream = frame.streamID
        case .pushPromise:
            // NIO allows it until the server has acknowledged the client's settings.
            return end(with: .badHTTP2(.push), context)
        case .headers: answered.insert(frame.streamID)
        case .alternativeService, .origin, .ping, .priority, .settings, .windowUpdate:
            break
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let frame = unwrapOutboundIn(data)
        if case .rstStream = frame.payload {
            resetStream = frame.streamID
            if !answered.contains(frame.streamID) {
                // It brought a request that was given up no answer: it may be dead, or have no room
                // for what it is to send.
                let connection = context.channel
                context.eventLoop.assumeIsolated().execute { [self] in retire(connection) }
            }
        }
        context.write(data, promise: promise)
    }

    /// Takes the connection from later requests.
    private func retire(_ connection: any Channel) {
        let operations = connection.pipeline.syncOperations
        guard let place = try? operations.context(handlerType: HTTP2SettingsGuard.self),
            let settings = place.handler as? HTTP2SettingsGuard
        else { return }
        settings.leave(place)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is NIOHTTP2StreamCreatedEvent { unwritten -= 1 }
        if let closure = event as? StreamClosedEvent { answered.remove(closure.streamID) }
        guard let closure = event as? StreamClosedEvent, closure.reason != nil else {
            context.fireUserInboundEventTriggered(event)
            return
        }
        if closure.streamID == resetStream {
            resetStream = nil
        } else if let goAway, closure.streamID > goAway.lastStream {
            fail(closure.streamID, with: goAway.fault(tookRequest: false))
        } else if !bytes.isRefused {
            unexplained.append(closure)
            return
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let fault = error as? NetworkFault {
            end(with: fault, context)
        } else if !NetworkFault.isOfHTTP2(error) {
            transportError = error
        } else if let code = bytes.sentGoAway {
            end(with: NetworkFault(http2: error, code: code), context)
        } else {
            for closure in unexplained {
                fail(closure.streamID, with: NetworkFault(http2: error))
            }
            passClosures(context)
        }
        context.fireErrorCaught(error)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        passClosures(context)
        if let goAway, goAway.code != .noError, !bytes.isRefused {
            end(with: goAway.fault(tookRequest: true), context)
        }
        closeIfDone(context.channel)
        context.fireChannelReadComplete()
    }

    func channelInactive(context: ChannelHandlerContext) {
        passClosures(context)
        if let error = goAway?.fault(tookRequest: true) ?? transportError {
            failStreams(with: error)
        }
        context.fireChannelInactive()
    }

    private func passClosures(_ context: ChannelHandlerContext) {
        let closures = unexplained
        unexplained = []
        for closure in closures { context.fireUserInboundEventTriggered(closure) }
    }

    /// Fails all requests, and closes the connection.
    private func end(with fault: NetworkFault, _ context: ChannelHandlerContext) {
        guard !bytes.isRefused else { return }
        bytes.isRefused = true
        // The request that waits for the connection has no stream on it yet.
        if !isUsed, let opening {
            opening.end(with: fault, context.channel)
            return
        }
        failStreams(with: fault)
        passClosures(context)
        // The goodbye of TLS waits for the server's, and requests would still come.
        let channel = context.channel
        context.eventLoop.execute { OriginConnector.closeBelowTLS(channel) }
    }

    private func failStreams(with error: any Error) {
        for stream in Array(streams.values) { stream.pipeline.fireErrorCaught(error) }
    }

    private func fail(_ id: HTTP2StreamID, with fault: NetworkFault) {
        let stream = streams.values.first {
            (try? $0.syncOptions?.getOption(HTTP2StreamChannelOptions.streamID)) == id
        }
        stream?.pipeline.fireErrorCaught(fault)
    }
}

/// Keeps SETTINGS after the first from AsyncHTTPClient, whose pool schedules another idle timer for
/// each of them that arrives while no request is open, and asserts that there is none.
///
/// NIO has applied them by then, and holds back streams that the server does not allow yet. A server
/// that allows none at first has a connection that is still opening: the pool would not learn of more.
/// One that allows none any more gets no further requests, which would wait for their deadline.
private final class HTTP2SettingsGuard: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame

    private let connection: HTTP2ConnectionGuard
    /// `nil` once AsyncHTTPClient has got SETTINGS.
    private var opening: HTTP2OpeningGuard?

    init(of connection: HTTP2ConnectionGuard, until opening: HTTP2OpeningGuard?) {
        self.connection = connection
        self.opening = opening
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .settings(.settings(let settings)) = unwrapInboundIn(data).payload {
            guard let opening else {
                let limit = settings.last { $0.parameter == .maxConcurrentStreams }
                if limit?.value == 0 { leave(context) }
                return
            }
            guard opening.allowsStreams(by: settings) else { return }
            self.opening = nil
        }
        context.fireChannelRead(data)
    }

    /// Takes the connection out of the pool.
    func leave(_ context: ChannelHandlerContext) {
        connection.leave(context.channel) { context.fireChannelRead(wrapInboundOut($0)) }
    }
}

/// Counts the bytes of a connection of HTTP/2, and drops those that arrive after a refusal.
private final class HTTP2ByteGuard: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    var isRefused = false
    /// The content of the frames that have been read.
    var bodyBytes = 0
    private var bytes = 0
    /// The code of the GOAWAY by which NIO has reacted to an error of the connection.
    private(set) var sentGoAway: HTTP2ErrorCode?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        bytes += unwrapInboundIn(data).readableBytes
        context.fireChannelRead(data)
        let limit = HTTP2ConnectionGuard.maximumOverhead
        if bytes > limit + HTTP2ConnectionGuard.overheadPerBodyByte * bodyBytes {
            context.fireErrorCaught(NetworkFault.badHTTP2(.overhead(limit)))
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        recordGoAway(unwrapOutboundIn(data))
        context.write(data, promise: promise)
    }

    /// In the next turn of the loop: when a stream of a connection for one request ends by an error,
    /// AsyncHTTPClient closes the connection before NIO reports the error.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        context.eventLoop.assumeIsolated().execute { context.close(mode: mode, promise: promise) }
    }

    private func recordGoAway(_ frame: ByteBuffer) {
        if let code = HTTP2ErrorCode(ofGoAway: frame) { sentGoAway = code }
    }
}

extension HTTP2ErrorCode {
    /// Reads the code of a GOAWAY by which NIO reacts to an error of the connection, which it reports
    /// in no other way, or returns `nil` for other bytes that it writes.
    ///
    /// NIO writes each frame by itself, and GOAWAY without data of its own: a length of eight, its
    /// type, no flags and stream 0, then the last stream and the code.
    package init?(ofGoAway frame: ByteBuffer) {
        guard frame.readableBytes == 17,
            frame.readableBytesView.starts(with: [0, 0, 8, 7, 0, 0, 0, 0, 0]),
            let code = frame.getInteger(at: frame.readerIndex + 13, as: UInt32.self)
        else { return nil }
        self.init(networkCode: Int(code))
    }
}
