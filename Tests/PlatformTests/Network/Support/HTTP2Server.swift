import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL

/// A server on 127.0.0.1 that speaks HTTP/2 over TLS, and does one thing with each stream in turn.
struct HTTP2Server: Sendable {
    enum Step: Sendable {
        case answer(status: Int)
        /// Answers when this number of requests has been read.
        case answerAfter(requests: Int)
        /// Resets the stream.
        case reset(HTTP2ErrorCode)
    }

    let port: Int
    private let log: ServerLog

    var connections: Int { log.connections }
    var ended: Int { log.ended }

    /// The paths of the requests.
    var requests: [String] { log.requests }

    /// Runs a server as long as `body` runs; the last step is for all streams that follow.
    static func run<Value>(
        _ steps: [Step],
        tls: NIOSSLContext,
        _ body: (HTTP2Server) async throws -> Value
    ) async throws -> Value {
        let log = ServerLog()
        let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    _ = log.connected()
                    channel.closeFuture.whenComplete { _ in log.disconnected() }
                    let operations = channel.pipeline.syncOperations
                    try operations.addHandler(NIOSSLServerHandler(context: tls))
                    _ = try operations.configureHTTP2Pipeline(
                        mode: .server,
                        connectionConfiguration: .init(),
                        streamConfiguration: .init()
                    ) { stream in
                        stream.eventLoop.makeCompletedFuture {
                            let operations = stream.pipeline.syncOperations
                            let handler = StreamHandler(steps: steps, log: log)
                            try operations.addHandler(HTTP2FramePayloadToHTTP1ServerCodec())
                            try operations.addHandler(handler)
                        }
                    }
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        let result: Result<Value, any Error>
        do {
            let port = channel.localAddress?.port ?? 0
            result = .success(try await body(HTTP2Server(port: port, log: log)))
        } catch {
            result = .failure(error)
        }
        try await channel.close()
        return try result.get()
    }
}

private final class StreamHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let steps: [HTTP2Server.Step]
    private let log: ServerLog
    private var target = ""

    init(steps: [HTTP2Server.Step], log: ServerLog) {
        self.steps = steps
        self.log = log
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): target = head.uri
        case .body: break
        case .end:
            log.read(target)
            perform(steps[min(log.requests.count, steps.count) - 1], context)
        }
    }

    private func perform(_ step: HTTP2Server.Step, _ context: ChannelHandlerContext) {
        switch step {
        case .answer(let status):
            answer(status, context)
        case .answerAfter(let count):
            let stream = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            let loop = context.eventLoop
            Task { [log] in
                await log.waitForRequests(count)
                loop.execute { stream.value.0.answer(200, stream.value.1) }
            }
        case .reset(let code):
            let codec = try? context.pipeline.syncOperations.context(
                handlerType: HTTP2FramePayloadToHTTP1ServerCodec.self
            )
            let frame = HTTP2Frame.FramePayload.rstStream(code)
            codec?.writeAndFlush(NIOAny(frame), promise: nil)
        }
    }

    private func answer(_ status: Int, _ context: ChannelHandlerContext) {
        let head = HTTPResponseHead(
            version: .http2,
            status: HTTPResponseStatus(statusCode: status),
            headers: ["content-type": "application/json"]
        )
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        let body = ByteBuffer(string: "{}")
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
