import NIOCore
import NIOHPACK
import NIOPosix
import NIOSSL
import Synchronization
import TestSupport

/// A server on 127.0.0.1 that selects HTTP/2, and sends whatever bytes a test says.
struct RawHTTP2Server: Sendable {
    struct Answer: Sendable {
        var pieces: [ArraySlice<UInt8>]
        var ending = RawResponse.Ending.keepOpen
        /// Whether the last piece is sent again and again, until the client closes the connection.
        var isEndless = false

        init(_ bytes: [UInt8]) {
            pieces = [bytes[...]]
        }

        init(_ bytes: [UInt8], thenEndlessly piece: [UInt8]) {
            pieces = [bytes[...], piece[...]]
            isEndless = true
        }

        init(pieces: [ArraySlice<UInt8>], ending: RawResponse.Ending) {
            self.pieces = pieces
            self.ending = ending
        }
    }

    struct Behavior: Sendable {
        /// The bytes that are sent first on the connection of this number, from 1; nothing at all,
        /// if it is empty.
        var greeting: @Sendable (Int) -> [UInt8] = { _ in HTTP2Bytes.settings }
        /// Whether a connection gets no answer to its handshake until a test says so.
        var holdsHandshakes = false
        /// Whether a request is answered before its body is there.
        var answersEarly = false
        /// The answer to a request for a path, on a stream.
        var answer: @Sendable (String, UInt32) -> Answer
    }

    let port: Int
    private let log: ServerLog
    private let held: HeldChannels

    /// Waits for this many connections, and goes on with the handshakes of all.
    ///
    /// - Throws: `NeverCame`.
    func continueHandshakes(of count: Int) async throws {
        try await eventually("\(count) connections") { held.count == count }
        held.release()
    }

    /// Waits until the client has closed every connection.
    ///
    /// - Throws: `NeverCame`.
    func waitUntilClosed() async throws {
        try await eventually(
            "the end of every connection",
            evidence: { log.openConnections }
        ) {
            log.connections == log.ended
        }
    }

    /// Runs it on a thread of its own, as long as `body` runs.
    static func run<Value>(
        _ behavior: Behavior,
        tls: NIOSSLContext,
        _ body: (RawHTTP2Server) async throws -> Value
    ) async throws -> Value {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let log = ServerLog()
        let held = HeldChannels()
        let channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 1024)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.autoRead, value: !behavior.holdsHandshakes)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if behavior.holdsHandshakes { held.add(channel) }
                    let operations = channel.pipeline.syncOperations
                    try operations.addHandler(NIOSSLServerHandler(context: tls))
                    try operations.addHandler(RawHTTP2Handler(behavior, log))
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        let result: Result<Value, any Error>
        do {
            let port = channel.localAddress?.port ?? 0
            result = .success(try await body(RawHTTP2Server(port: port, log: log, held: held)))
        } catch {
            result = .failure(error)
        }
        try? await channel.close()
        try await group.shutdownGracefully()
        return try result.get()
    }
}

/// Connections that are not read yet.
private final class HeldChannels: Sendable {
    private let channels = Mutex<[any Channel]>([])

    var count: Int { channels.withLock { $0.count } }

    func add(_ channel: any Channel) {
        channels.withLock { $0.append(channel) }
    }

    func release() {
        for channel in channels.withLock({ $0 }) {
            _ = channel.setOption(.autoRead, value: true)
        }
    }
}

/// Reads the frames of a client, and answers its requests.
private final class RawHTTP2Handler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let magicLength = 24

    private let behavior: RawHTTP2Server.Behavior
    private let number: Int
    private let log: ServerLog
    private var unread = ByteBuffer()
    private var hasMagic = false
    private var isSilent = false
    private var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
    private var paths: [UInt32: String] = [:]

    init(_ behavior: RawHTTP2Server.Behavior, _ log: ServerLog) {
        self.behavior = behavior
        self.log = log
        number = log.connected()
        log.record("connected", on: number)
    }

    /// A connection that the client has left before it was accepted never becomes active.
    func handlerRemoved(context: ChannelHandlerContext) {
        log.disconnected(number)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        unread.writeBuffer(&bytes)
        if !hasMagic {
            guard unread.readableBytes >= Self.magicLength else { return }
            unread.moveReaderIndex(forwardBy: Self.magicLength)
            hasMagic = true
            log.record("preface", on: number)
            let greeting = behavior.greeting(number)
            isSilent = greeting.isEmpty
            send(greeting[...], context)
        }
        guard !isSilent else { return }
        while let frame = readFrame() { handle(frame, context) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private struct ReceivedFrame {
        var kind: UInt8
        var flags: UInt8
        var stream: UInt32
        var payload: ByteBuffer
    }

    private func readFrame() -> ReceivedFrame? {
        let start = unread.readerIndex
        guard let head = unread.getBytes(at: start, length: 9) else { return nil }
        let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
        guard unread.readableBytes >= 9 + length else { return nil }
        unread.moveReaderIndex(forwardBy: 9)
        let stream = head[5...8].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let payload = unread.readSlice(length: length) ?? ByteBuffer()
        return ReceivedFrame(kind: head[3], flags: head[4], stream: stream, payload: payload)
    }

    private func handle(_ frame: ReceivedFrame, _ context: ChannelHandlerContext) {
        let kind = HTTP2Bytes.Kind(rawValue: frame.kind).map { "\($0)" } ?? "\(frame.kind)"
        log.record("\(kind) \(frame.stream)", on: number)
        switch HTTP2Bytes.Kind(rawValue: frame.kind) {
        case .settings? where frame.flags & 1 == 0:
            send(HTTP2Bytes.frame(.settings, flags: 1)[...], context)
        case .headers?:
            var block = frame.payload
            let fields = try? decoder.decodeHeaders(from: &block)
            paths[frame.stream] = fields?.first(name: ":path") ?? ""
            if behavior.answersEarly || frame.flags & 1 == 1 { answer(frame.stream, context) }
        case .data? where frame.flags & 1 == 1:
            if !behavior.answersEarly { answer(frame.stream, context) }
        default: break
        }
    }

    private func answer(_ stream: UInt32, _ context: ChannelHandlerContext) {
        let answer = behavior.answer(paths.removeValue(forKey: stream) ?? "", stream)
        send(answer, answer.pieces[...], context)
    }

    /// One piece in each turn of the loop.
    private func send(
        _ answer: RawHTTP2Server.Answer,
        _ pieces: ArraySlice<ArraySlice<UInt8>>,
        _ context: ChannelHandlerContext
    ) {
        guard let piece = pieces.first else {
            if answer.isEndless { return send(answer, answer.pieces.suffix(1), context) }
            return finish(answer.ending, context)
        }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: piece)))
            .assumeIsolated()
            .whenSuccess { [self] in
                context.eventLoop.assumeIsolated().execute { [self] in
                    send(answer, pieces.dropFirst(), context)
                }
            }
    }

    private func send(_ bytes: ArraySlice<UInt8>, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
    }

    private func finish(_ ending: RawResponse.Ending, _ context: ChannelHandlerContext) {
        switch ending {
        case .keepOpen: break
        case .close: context.close(promise: nil)
        case .reset:
            let options = context.channel as? any SocketOptionProvider
            options?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).assumeIsolated().whenComplete {
                _ in
                context.close(mode: .all, promise: nil)
            }
        }
    }
}
