import HTTP
import NIOCore
import NIOHTTP1

/// The time limits for clients of the sandbox, in seconds, and the maximum number of connections.
struct ConnectionLimits: Sendable, Hashable {
    /// From the start of the connection to the end of the first request's head.
    var head = 10.0
    /// From the head of a request to the end of its body.
    var body = 30.0
    /// From the start of a response until the client has received it.
    var answer = 60.0
    /// From a response to the end of the next request's head.
    var idle = 60.0
    /// The maximum number of connections; further ones wait to be accepted.
    var connections = 512
}

/// Closes a connection whose client exceeds the time limits.
///
/// The sandbox's own delays, such as those of a fault, are not limited. Neither is an event
/// stream, nor a WebSocket, for whose upgrade the handler leaves the pipeline.
final class ConnectionDeadline: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let limits: ConnectionLimits
    private var timer: Scheduled<Void>?
    /// The number of requests whose head has arrived and whose response is not complete; a client
    /// may pipeline.
    private var unanswered = 0
    private var isReading = false

    init(_ limits: ConnectionLimits) {
        self.limits = limits
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { close(context, after: limits.head) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
    }

    func channelActive(context: ChannelHandlerContext) {
        close(context, after: limits.head)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            unanswered += 1
            isReading = true
            close(context, after: limits.body)
        case .body:
            break
        case .end:
            isReading = false
            timer?.cancel()
        }
        context.fireChannelRead(data)
    }

    func write(
        context: ChannelHandlerContext,
        data: NIOAny,
        promise: EventLoopPromise<Void>?
    ) {
        switch unwrapOutboundIn(data) {
        case .head(let head):
            if head.headers.first(name: "Content-Type") == EventStreamParser.mediaType {
                timer?.cancel()
            } else {
                close(context, after: limits.answer)
            }
        case .body:
            break
        case .end:
            unanswered -= 1
            if isReading {
                close(context, after: limits.body)
            } else if unanswered > 0 {
                timer?.cancel()
            } else {
                close(context, after: limits.idle)
            }
        }
        context.write(data, promise: promise)
    }

    private func close(_ context: ChannelHandlerContext, after seconds: Double) {
        timer?.cancel()
        timer = context.eventLoop.assumeIsolated().scheduleTask(
            in: .nanoseconds(Int64(seconds * 1e9))
        ) {
            context.close(promise: nil)
        }
    }
}
