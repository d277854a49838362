import NIOCore
import NIOHTTP1

/// Collects a response that is not an upgrade.
///
/// However it ends, the result is what has arrived by then: a body that is too long, too slow or
/// cut off still explains more than an error would.
final class RefusalReader: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private static let maximumBody = 64 << 10

    private let result: EventLoopPromise<WebSocketDialResult>
    private var context: ChannelHandlerContext?
    private var head: HTTPResponseHead?
    private var body: [UInt8] = []

    init(result: EventLoopPromise<WebSocketDialResult>) {
        self.result = result
    }

    /// Ends the collection when the time is up.
    func expire() {
        finish()
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
        case .body(let part):
            body += part.readableBytesView.prefix(Self.maximumBody - body.count)
            if body.count == Self.maximumBody { finish() }
        case .end:
            finish()
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        finish()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        finish()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        finish()
        self.context = nil
    }

    private func finish() {
        if let head {
            let headers = head.headers.map { ($0.name, $0.value) }
            let status = Int(head.status.code)
            result.succeed(.refused(status: status, headers: headers, body: body))
        } else {
            result.fail(WebSocketDialError.disconnected(.ended))
        }
        context?.close(promise: nil)
    }
}
