package import Basics
import NIOCore
import NIOPosix
import Platform
package import Profiles

/// Answers requests of test suites about the run, on a port of its own of this machine.
///
/// What a page in a browser sends is refused: it could be any page.
package actor ControlServer {
    package typealias Responder = @Sendable (WireRequest) async -> ControlAnswer

    private let respond: Responder
    private let limit: Duration
    private let group: MultiThreadedEventLoopGroup
    private var channel: (any Channel)?

    /// - Parameters:
    ///   - limit: How long a connection may stay open.
    ///   - respond: Answers each request that is not refused.
    package init(within limit: Duration = .seconds(10), respond: @escaping Responder) {
        self.limit = limit
        self.respond = respond
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    }

    /// Begins to listen on 127.0.0.1; may be called once.
    ///
    /// - Parameter port: The port; 0 chooses a free one.
    /// - Returns: The port.
    /// - Throws: `ProxyError`; then the server is stopped.
    package func start(port: Int) async throws(ProxyError) -> Int {
        let (respond, limit) = (respond, TimeAmount(limit))
        let bootstrap = ServerBootstrap(group: group)
            .pausingWhenExhausted()
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        ControlChannel(respond, within: limit)
                    )
                }
            }
        do {
            let channel = try await bootstrap.bind(host: "127.0.0.1", port: port).get()
            self.channel = channel
            return channel.localAddress?.port ?? port
        } catch {
            await stop()
            throw ProxyError(listening: error, at: "127.0.0.1", port: port)
        }
    }

    package func stop() async {
        try? await channel?.close()
        try? await group.shutdownGracefully()
    }
}

package struct ControlAnswer: Sendable, Equatable {
    var status: Int
    var json: JSONValue

    package init(_ json: JSONValue, status: Int = 200) {
        self.status = status
        self.json = json
    }

    package static func refusal(_ status: Int, _ message: String) -> ControlAnswer {
        ControlAnswer(["error": .string(message)], status: status)
    }
}

/// A connection to the control port: one request, its answer, and the end.
private final class ControlChannel: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let maximum = 64 << 10

    private let respond: ControlServer.Responder
    private let limit: TimeAmount
    private var unread = ByteBuffer()
    private var scanner = HeadScanner()
    private var head: RequestMessage?
    private var body: BodyScanner?
    private var payload: [UInt8] = []
    private var isAnswered = false

    init(_ respond: @escaping ControlServer.Responder, within limit: TimeAmount) {
        self.respond = respond
        self.limit = limit
    }

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        context.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isAnswered else { return }
        var bytes = unwrapInboundIn(data)
        unread.writeBuffer(&bytes)
        do throws(MessageViolation) {
            let isComplete = try readRequest()
            guard payload.count <= Self.maximum else {
                isAnswered = true
                let size = Self.maximum >> 10
                return write(.refusal(413, "expected a body of at most \(size) KiB"), on: context)
            }
            guard isComplete, let head else { return }
            isAnswered = true
            answer(head, on: context)
        } catch {
            isAnswered = true
            write(.refusal(error.status, "refused \(error.description)"), on: context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// - Returns: Whether the request is complete.
    private func readRequest() throws(MessageViolation) -> Bool {
        if head == nil {
            let input = unread
            guard let length = try scanner.end(in: input.readableBytesUInt8Span),
                let bytes = unread.readSlice(length: length)
            else { return false }
            let request = try HeadParser.request(bytes.readableBytesUInt8Span)
            head = request
            body = BodyScanner(try BodyFraming(of: request))
        }
        let input = unread
        let bytes = input.readableBytesUInt8Span
        var part: [UInt8] = []
        let count = try body?.scan(bytes) { range in
            bytes.extracting(range).withUnsafeBufferPointer { part.append(contentsOf: $0) }
        }
        payload += part
        unread.moveReaderIndex(forwardBy: count ?? 0)
        return body?.isComplete ?? true
    }

    private func answer(_ request: RequestMessage, on context: ChannelHandlerContext) {
        if let refusal = Self.refusal(of: request) {
            write(refusal, on: context)
            return
        }
        let wire = WireRequest(request, body: payload)
        let respond = respond
        context.eventLoop.makeFutureWithTask { await respond(wire) }
            .assumeIsolated()
            .whenSuccess { [self] in write($0, on: context) }
    }

    /// Refuses what a page could have sent, or a name that may lead here by a trick.
    private static func refusal(of request: RequestMessage) -> ControlAnswer? {
        let keys = Set(request.fields.map(\.key))
        guard !keys.contains("origin"), !keys.contains("sec-fetch-site") else {
            return .refusal(403, "the control port answers no pages in browsers")
        }
        let hosts = request.fields.filter { $0.key == "host" }.map { RequestHost($0.value) }
        guard hosts.count == 1, hosts.allSatisfy({ $0?.isLoopback == true }) else {
            return .refusal(421, "the control port answers at 127.0.0.1 and localhost only")
        }
        return nil
    }

    private func write(_ answer: ControlAnswer, on context: ChannelHandlerContext) {
        let body = Array(answer.json.serialized.utf8)
        let head = ResponseMessage(
            minorVersion: 1,
            status: answer.status,
            reason: WireText(""),
            fields: [
                HeadField("Content-Type", "application/json"),
                HeadField("Cache-Control", "no-store"),
                HeadField("Content-Length", String(body.count)),
                HeadField("Connection", "close"),
            ]
        )
        var buffer = ByteBuffer()
        head.write(into: &buffer)
        buffer.writeBytes(body)
        context.writeAndFlush(wrapOutboundOut(buffer)).assumeIsolated().whenComplete { _ in
            context.close(mode: .output, promise: nil)
        }
    }
}
