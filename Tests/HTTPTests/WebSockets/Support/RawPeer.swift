import NIOCore
import NIOPosix
import Testing

/// The other end of a TCP connection, byte by byte.
struct RawPeer {
    private let channel: any Channel
    private var inbound: AsyncStream<ByteBuffer>.AsyncIterator
    private var unread: [UInt8] = []

    fileprivate init(_ end: RawEnd) {
        channel = end.channel
        inbound = end.inbound.makeAsyncIterator()
    }

    func write(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
    }

    func write(_ text: String) async throws {
        try await write(Array(text.utf8))
    }

    /// From here on what the other side sends stays with it.
    func stopReading() async throws {
        try await channel.setOption(.autoRead, value: false).get()
    }

    /// Ends the connection with a reset.
    func reset() async throws {
        let options = try #require(channel as? any SocketOptionProvider)
        try await options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        try await channel.close()
    }

    /// Up to and with the blank line.
    mutating func readHead() async throws -> String {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            head += try await read(1)
        }
        return String(decoding: head, as: UTF8.self)
    }

    mutating func read(_ count: Int) async throws -> [UInt8] {
        while unread.count < count, let more = await inbound.next() {
            unread += more.readableBytesView
        }
        try #require(unread.count >= count, "ended after \(unread)")
        defer { unread.removeFirst(count) }
        return Array(unread.prefix(count))
    }

    mutating func readToEnd() async -> [UInt8] {
        while let more = await inbound.next() { unread += more.readableBytesView }
        defer { unread = [] }
        return unread
    }
}

private struct RawEnd: Sendable {
    let channel: any Channel
    let inbound: AsyncStream<ByteBuffer>
}

private final class RawHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    let arriving: AsyncStream<ByteBuffer>.Continuation

    init(_ arriving: AsyncStream<ByteBuffer>.Continuation) {
        self.arriving = arriving
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        arriving.yield(unwrapInboundIn(data))
    }

    func channelInactive(context: ChannelHandlerContext) {
        arriving.finish()
    }
}

@Sendable
private func raw(_ channel: any Channel) -> EventLoopFuture<RawEnd> {
    channel.eventLoop.makeCompletedFuture {
        let (inbound, arriving) = AsyncStream.makeStream(of: ByteBuffer.self)
        try channel.pipeline.syncOperations.addHandler(RawHandler(arriving))
        return RawEnd(channel: channel, inbound: inbound)
    }
}

/// A server that says what `serve` says, to one connection after the other.
///
/// - Parameters:
///   - serve: A connection ends with it.
///   - body: Gets the port.
/// - Returns: The result of `body`.
/// - Throws: Any error that `body` throws.
@discardableResult
func withRawServer<Value: Sendable>(
    serve: @escaping @Sendable (inout RawPeer) async throws -> Void,
    body: (Int) async throws -> Value
) async throws -> Value {
    let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .bind(host: "127.0.0.1", port: 0, childChannelInitializer: raw)
    let port = try #require(server.channel.localAddress?.port)
    return try await server.executeThenClose { connections in
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for try await connection in connections {
                    var peer = RawPeer(connection)
                    try? await serve(&peer)
                    try? await connection.channel.close()
                }
            }
            let value = try await body(port)
            group.cancelAll()
            return value
        }
    }
}

/// A client that has been upgraded by the server on this port, and speaks bytes from there on.
///
/// - Parameters:
///   - port: On 127.0.0.1.
///   - glued: Sent together with the request.
///   - talk: The connection ends with it.
/// - Returns: The result of `talk`.
/// - Throws: Any error that `talk` throws.
@discardableResult
func withRawClient<Value: Sendable>(
    on port: Int,
    glued: [UInt8] = [],
    talk: (inout RawPeer) async throws -> Value
) async throws -> Value {
    let client = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .connect(host: "127.0.0.1", port: port, channelInitializer: raw)
    defer { client.channel.close(promise: nil) }
    var peer = RawPeer(client)
    let request =
        "GET / HTTP/1.1\r\nHost: here\r\nConnection: keep-alive, Upgrade\r\n"
        + "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    try await peer.write(Array(request.utf8) + glued)
    let head = try await peer.readHead()
    #expect(head.hasPrefix("HTTP/1.1 101 "))
    #expect(head.contains("ICX+Yqv66kxgM0FcWaLWlFLwTAI="))
    return try await talk(&peer)
}
