import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL
import TestSupport
import Testing

/// One stream of a peer that speaks HTTP/2, frame by frame; a frame that is not read is in the system's
/// hands.
struct HTTP2Stream {
    typealias Payload = HTTP2Frame.FramePayload

    /// The end of what a peer sends.
    enum End: Sendable, Equatable {
        /// With the trailers, as `name: value`.
        case finished([String])
        case reset(HTTP2ErrorCode)
    }

    let channel: any Channel
    private var arriving: AsyncThrowingStream<Payload, any Error>.AsyncIterator

    fileprivate init(_ parts: StreamParts) {
        channel = parts.channel
        arriving = parts.arriving.makeAsyncIterator()
    }

    func write(_ fields: [(String, String)], ends: Bool = false) async throws {
        let block = Payload.headers(.init(headers: HPACKHeaders(fields), endStream: ends))
        try await channel.writeAndFlush(block).get()
    }

    /// Writes without waiting until it is sent.
    func send(_ fields: [(String, String)], ends: Bool = false) {
        channel.writeAndFlush(
            Payload.headers(.init(headers: HPACKHeaders(fields), endStream: ends)),
            promise: nil
        )
    }

    func write(_ text: String, ends: Bool = false) async throws {
        let data = IOData.byteBuffer(ByteBuffer(string: text))
        try await channel.writeAndFlush(Payload.data(.init(data: data, endStream: ends))).get()
    }

    func reset(_ code: HTTP2ErrorCode) async throws {
        try await channel.writeAndFlush(Payload.rstStream(code)).get()
    }

    /// Reads the next frame, or `nil` at the end.
    mutating func next() async throws -> Payload? {
        channel.read()
        return try await arriving.next()
    }

    /// Reads a block, as `name: value`.
    mutating func head() async throws -> [String] {
        while let payload = try await next() {
            guard case .headers(let block) = payload else { continue }
            return block.headers.map { "\($0.name): \($0.value)" }
        }
        throw NeverCame(what: "a head", evidence: "the end of the stream")
    }

    /// Reads at least this much of a body.
    mutating func body(_ count: Int) async throws -> String {
        var bytes: [UInt8] = []
        while bytes.count < count, let payload = try await next() {
            guard case .data(let part) = payload, case .byteBuffer(let buffer) = part.data else {
                continue
            }
            bytes += buffer.readableBytesView
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads to the end.
    mutating func rest() async throws -> (body: String, end: End) {
        var bytes: [UInt8] = []
        do {
            while let payload = try await next() {
                switch payload {
                case .data(let part):
                    if case .byteBuffer(let buffer) = part.data {
                        bytes += buffer.readableBytesView
                    }
                    if part.endStream {
                        return (String(decoding: bytes, as: UTF8.self), .finished([]))
                    }
                case .headers(let block):
                    let trailers = block.headers.map { "\($0.name): \($0.value)" }
                    return (String(decoding: bytes, as: UTF8.self), .finished(trailers))
                default: break
                }
            }
            return (String(decoding: bytes, as: UTF8.self), .finished([]))
        } catch let error as NIOHTTP2Errors.StreamClosed {
            return (String(decoding: bytes, as: UTF8.self), .reset(error.errorCode))
        }
    }
}

/// A client that knows that its server speaks HTTP/2.
struct HTTP2Client {
    let channel: any Channel
    private let multiplexer: NIOHTTP2Handler.StreamMultiplexer
    private let root: AsyncStream<HTTP2Frame>

    static func connect(to port: Int) async throws -> HTTP2Client {
        let (root, continuation) = AsyncStream.makeStream(of: HTTP2Frame.self)
        let (channel, multiplexer) = try await ClientBootstrap(
            group: .singletonMultiThreadedEventLoopGroup
        )
        .connect(host: "127.0.0.1", port: port) { channel in
            channel.eventLoop.makeCompletedFuture {
                let frames = NIOHTTP2Handler(mode: .client, eventLoop: channel.eventLoop) {
                    $0.close()
                }
                let operations = channel.pipeline.syncOperations
                try operations.addHandlers([frames, RootHandler(continuation)])
                return (channel, try frames.syncMultiplexer())
            }
        }
        return HTTP2Client(channel: channel, multiplexer: multiplexer, root: root)
    }

    func stream() async throws -> HTTP2Stream {
        let multiplexer = multiplexer
        let parts = try await channel.eventLoop.flatSubmit {
            let promise = channel.eventLoop.makePromise(of: StreamParts.self)
            multiplexer.createStreamChannel { stream in
                prepareStream(stream).map { promise.succeed($0) }
            }
            .cascadeFailure(to: promise)
            return promise.futureResult
        }
        .get()
        return HTTP2Stream(parts)
    }

    /// Waits for the server's GOAWAY.
    func goAway() async -> HTTP2ErrorCode? {
        for await frame in root {
            if case .goAway(_, let code, _) = frame.payload { return code }
        }
        return nil
    }

    func write(_ payload: HTTP2Frame.FramePayload) async throws {
        try await channel.writeAndFlush(HTTP2Frame(streamID: .rootStream, payload: payload)).get()
    }

    func close() async {
        try? await channel.close()
    }

    func reset() async throws {
        let options = try #require(channel as? any SocketOptionProvider)
        try await options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        await close()
    }
}

/// Runs a server on 127.0.0.1 that speaks HTTP/2 as long as `body` runs.
///
/// - Parameters:
///   - tls: For a server with TLS.
///   - serve: Gets each stream with its number over all connections, from 0.
///   - body: Gets the port.
/// - Returns: The result of `body`.
/// - Throws: Any error that `body` throws.
@discardableResult
func withHTTP2Origin<Value: Sendable>(
    tls: NIOSSLContext? = nil,
    serve: @escaping @Sendable (inout HTTP2Stream) async throws -> Void,
    body: (Int) async throws -> Value
) async throws -> Value {
    let (streams, continuation) = AsyncStream.makeStream(of: StreamParts.self)
    let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .childChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                let operations = channel.pipeline.syncOperations
                if let tls { try operations.addHandler(NIOSSLServerHandler(context: tls)) }
                let frames = NIOHTTP2Handler(mode: .server, eventLoop: channel.eventLoop) {
                    stream in
                    prepareStream(stream).map { _ = continuation.yield($0) }
                }
                try operations.addHandler(frames)
            }
        }
        .bind(host: "127.0.0.1", port: 0)
        .get()
    let port = server.localAddress?.port ?? 0
    let result: Result<Value, any Error>
    do {
        result = .success(
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await withThrowingDiscardingTaskGroup { each in
                        for await parts in streams {
                            each.addTask {
                                var stream = HTTP2Stream(parts)
                                try? await serve(&stream)
                            }
                        }
                    }
                }
                let value = try await body(port)
                group.cancelAll()
                continuation.finish()
                return value
            }
        )
    } catch {
        result = .failure(error)
    }
    try? await server.close()
    return try result.get()
}

private struct StreamParts: Sendable {
    let channel: any Channel
    let arriving: AsyncThrowingStream<HTTP2Frame.FramePayload, any Error>
}

@Sendable
private func prepareStream(_ channel: any Channel) -> EventLoopFuture<StreamParts> {
    channel.eventLoop.makeCompletedFuture {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: HTTP2Frame.FramePayload.self
        )
        try channel.syncOptions?.setOption(.autoRead, value: false)
        try channel.pipeline.syncOperations.addHandler(StreamHandler(continuation))
        return StreamParts(channel: channel, arriving: stream)
    }
}

private final class StreamHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload

    let arriving: AsyncThrowingStream<HTTP2Frame.FramePayload, any Error>.Continuation

    init(_ arriving: AsyncThrowingStream<HTTP2Frame.FramePayload, any Error>.Continuation) {
        self.arriving = arriving
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        arriving.yield(unwrapInboundIn(data))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        arriving.finish(throwing: error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        arriving.finish()
    }
}

private final class RootHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    let frames: AsyncStream<HTTP2Frame>.Continuation

    init(_ frames: AsyncStream<HTTP2Frame>.Continuation) {
        self.frames = frames
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        frames.yield(unwrapInboundIn(data))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {}

    func channelInactive(context: ChannelHandlerContext) {
        frames.finish()
    }
}
