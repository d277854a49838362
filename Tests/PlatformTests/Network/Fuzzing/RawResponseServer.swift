import NIOCore
import NIOPosix

/// A server on 127.0.0.1 that answers a request for `/7` with the raw answer of that number.
struct RawResponseServer: Sendable {
    let port: Int

    /// Runs it on a thread of its own, as long as `body` runs.
    static func run<Value>(
        seed: UInt64,
        _ body: (RawResponseServer) async throws -> Value
    ) async throws -> Value {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 1024)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(RawAnswerHandler(seed: seed))
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        let result: Result<Value, any Error>
        do {
            result = .success(
                try await body(RawResponseServer(port: channel.localAddress?.port ?? 0))
            )
        } catch {
            result = .failure(error)
        }
        try? await channel.close()
        try await group.shutdownGracefully()
        return try result.get()
    }
}

/// Answers as soon as the line of a request is there, whatever of it has yet to come.
private final class RawAnswerHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let seed: UInt64
    private var unread: [UInt8] = []

    init(seed: UInt64) {
        self.seed = seed
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        unread += unwrapInboundIn(data).readableBytesView
        guard let end = unread.firstIndex(of: 13) else { return }
        let parts = unread[..<end].split(separator: 32)
        guard parts.count == 3, parts[2].elementsEqual("HTTP/1.1".utf8),
            let number = UInt64(String(decoding: parts[1].dropFirst(), as: UTF8.self))
        else {
            // The body of a request that has been answered.
            unread = []
            return
        }
        unread = []
        let answer = RawResponse(number: number, seed: seed)
        send(answer.pieces[...], then: answer.ending, context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// One piece in each turn of the loop.
    private func send(
        _ pieces: ArraySlice<ArraySlice<UInt8>>,
        then ending: RawResponse.Ending,
        _ context: ChannelHandlerContext
    ) {
        guard let piece = pieces.first else { return finish(ending, context) }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: piece)))
            .assumeIsolated()
            .whenSuccess { [self] in
                context.eventLoop.assumeIsolated().execute { [self] in
                    send(pieces.dropFirst(), then: ending, context)
                }
            }
    }

    private func finish(_ ending: RawResponse.Ending, _ context: ChannelHandlerContext) {
        switch ending {
        case .keepOpen:
            break
        case .close:
            context.close(promise: nil)
        case .reset:
            let options = context.channel as? any SocketOptionProvider
            options?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).assumeIsolated().whenComplete {
                _ in
                context.close(promise: nil)
            }
        }
    }
}
