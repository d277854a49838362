import NIOCore
import NIOHTTP1

/// How long a client may keep the sandbox waiting, in seconds, and how many may do so at once.
struct ConnectionLimits: Sendable, Hashable {
    /// From the connection to the end of its first request's head.
    var head = 10.0
    /// From the head of a request to the end of its body.
    var body = 30.0
    /// From the beginning of an answer until it is taken.
    var answer = 60.0
    /// From an answer to the end of the next request's head.
    var idle = 60.0
    /// More wait to be accepted.
    var connections = 512
}

/// Closes a connection whose client keeps the sandbox waiting.
///
/// What the sandbox itself takes its time for, such as a delay that a fault wants, has no limit;
/// nor has a WebSocket, for whose upgrade it leaves the pipeline.
final class ConnectionDeadline: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let limits: ConnectionLimits
    private var timer: Scheduled<Void>?
    /// Requests whose head has come and whose answer has not gone; a client may send several.
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
        case .head:
            close(context, after: limits.answer)
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
