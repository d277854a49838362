import NIOCore
import NIOPosix
import NIOSSL
import TestSupport
import Testing

/// One end of a TCP connection, byte by byte; unread bytes stay in the system's hands.
struct RawConnection {
    /// The other side's end of it.
    enum End: Sendable, Equatable {
        case finished
        case reset
    }

    /// The bytes that came to the end.
    struct Received: Equatable {
        var bytes: [UInt8]
        var end: End

        var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    private let channel: any Channel
    private var arriving: AsyncStream<Arrival>.AsyncIterator
    private var unread: [UInt8] = []
    private var end: End?

    fileprivate init(_ raw: RawParts) {
        channel = raw.channel
        arriving = raw.arriving.makeAsyncIterator()
    }

    /// - Parameters:
    ///   - port: Of a server on this machine.
    ///   - tls: For a connection with TLS.
    ///   - name: By which the client knows the server, or `nil` if by its address.
    ///   - text: What the client says as soon as it is connected, however late the test goes on.
    /// - Returns: The connection.
    /// - Throws: If there is none.
    static func connect(
        to port: Int,
        tls: NIOSSLContext? = nil,
        name: String? = "localhost",
        writing text: String = ""
    ) async throws -> RawConnection {
        let raw = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelOption(.allowRemoteHalfClosure, value: true)
            // A handshake needs reads that the test has not asked for.
            .channelOption(.autoRead, value: tls != nil)
            .channelOption(.maxMessagesPerRead, value: 1)
            .connect(host: "127.0.0.1", port: port) { channel in
                prepare(channel, tls: tls.map { .client($0, name: name) }, writing: text)
            }
        return RawConnection(raw)
    }

    func write(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
    }

    func write(_ text: String) async throws {
        try await write(Array(text.utf8))
    }

    /// Sends nothing more.
    func finish() async throws {
        try await channel.close(mode: .output).get()
    }

    func close() async {
        try? await channel.close()
    }

    func reset() async throws {
        let options = try #require(channel as? any SocketOptionProvider)
        try await options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        await close()
    }

    /// Reads up to and with an empty line.
    mutating func readHead() async throws -> String {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) { head += try await read(1) }
        return String(decoding: head, as: UTF8.self)
    }

    mutating func read(_ count: Int) async throws -> [UInt8] {
        while unread.count < count, await arrive() {}
        guard unread.count >= count else {
            throw NeverCame(
                what: "\(count) bytes before the end, \(String(describing: end))",
                evidence: String(decoding: unread.prefix(400), as: UTF8.self)
            )
        }
        defer { unread.removeFirst(count) }
        return Array(unread.prefix(count))
    }

    /// Reads an answer with a length.
    mutating func readAnswer() async throws -> String {
        let head = try await readHead()
        let field = head.split(separator: "\r\n").first {
            $0.lowercased().hasPrefix("content-length: ")
        }
        let length = field.flatMap { Int($0.dropFirst(16)) } ?? 0
        return head + String(decoding: try await read(length), as: UTF8.self)
    }

    mutating func readToEnd() async -> Received {
        while await arrive() {}
        defer { unread = [] }
        return Received(bytes: unread, end: end ?? .finished)
    }

    private mutating func arrive() async -> Bool {
        guard end == nil else { return false }
        channel.read()
        guard let arrival = await arriving.next() else { return false }
        switch arrival {
        case .bytes(let buffer): unread += buffer.readableBytesView
        case .end(let end): self.end = end
        }
        return true
    }
}

private enum Arrival: Sendable {
    case bytes(ByteBuffer)
    case end(RawConnection.End)
}

private struct RawParts: Sendable {
    let channel: any Channel
    let arriving: AsyncStream<Arrival>
}

private final class RawHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let arriving: AsyncStream<Arrival>.Continuation
    let text: String

    init(_ arriving: AsyncStream<Arrival>.Continuation, writing text: String) {
        self.arriving = arriving
        self.text = text
    }

    func channelActive(context: ChannelHandlerContext) {
        if !text.isEmpty {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        }
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        arriving.yield(.bytes(unwrapInboundIn(data)))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { end(.finished) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is IOError { end(.reset) }
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(.finished)
    }

    private func end(_ end: RawConnection.End) {
        arriving.yield(.end(end))
        arriving.finish()
    }
}

/// The side of TLS that a connection is on.
private enum TLSRole: Sendable {
    case client(NIOSSLContext, name: String?)
    case server(NIOSSLContext)
}

@Sendable
private func prepare(
    _ channel: any Channel,
    tls: TLSRole?,
    writing text: String = ""
) -> EventLoopFuture<RawParts> {
    channel.eventLoop.makeCompletedFuture {
        let (stream, continuation) = AsyncStream.makeStream(of: Arrival.self)
        let operations = channel.pipeline.syncOperations
        switch tls {
        case .client(let context, let name)?:
            try operations.addHandler(NIOSSLClientHandler(context: context, serverHostname: name))
        case .server(let context)?:
            try operations.addHandler(NIOSSLServerHandler(context: context))
        case nil: break
        }
        try operations.addHandler(RawHandler(continuation, writing: text))
        return RawParts(channel: channel, arriving: stream)
    }
}

/// Runs a server on 127.0.0.1 as long as `body` runs.
///
/// - Parameters:
///   - tls: For a server with TLS.
///   - serve: Gets each connection, which is closed after it.
///   - body: Gets the port.
/// - Returns: The result of `body`.
/// - Throws: Any error that `body` throws.
@discardableResult
func withOrigin<Value: Sendable>(
    tls: NIOSSLContext? = nil,
    serve: @escaping @Sendable (inout RawConnection) async throws -> Void,
    body: (Int) async throws -> Value
) async throws -> Value {
    let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .serverChannelOption(.backlog, value: 256)
        .childChannelOption(.allowRemoteHalfClosure, value: true)
        .childChannelOption(.autoRead, value: false)
        .childChannelOption(.maxMessagesPerRead, value: 1)
        .bind(host: "127.0.0.1", port: 0) { prepare($0, tls: tls.map { .server($0) }) }
    let port = try #require(server.channel.localAddress?.port)
    return try await server.executeThenClose { connections in
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await withThrowingDiscardingTaskGroup { each in
                    for try await raw in connections {
                        each.addTask {
                            var connection = RawConnection(raw)
                            try? await serve(&connection)
                            await connection.close()
                        }
                    }
                }
            }
            let value = try await body(port)
            group.cancelAll()
            return value
        }
    }
}
