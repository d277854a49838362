import NIOCore
import NIOHTTP1

/// Collects a response that is not an upgrade.
///
/// However it ends, the result is what has arrived by then: a body that is too long, too slow or
/// cut off still explains more than an error would. A body in gzip or deflate, which was not asked for,
/// is inflated as far as it can be.
final class RefusalReader: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private static let maximumBody = 64 << 10

    private let result: EventLoopPromise<WebSocketDialResult>
    private var context: ChannelHandlerContext?
    private var head: HTTPResponseHead?
    private var decoder = ContentDecoder(codings: [])
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
            decoder = ContentDecoder(for: head)
        case .body(let part):
            if !takes(part) { finish() }
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

    /// Takes a part of the body in.
    ///
    /// - Returns: Whether there is use for more.
    private func takes(_ part: ByteBuffer) -> Bool {
        do throws(WebSocketFailure) {
            try decoder.decode(part.readableBytesUInt8Span) { (bytes) throws(WebSocketFailure) in
                let room = Self.maximumBody - body.count
                body += bytes.withUnsafeBufferPointer { Array($0.prefix(room)) }
                guard body.count < Self.maximumBody else { throw .tooBig("it explains enough") }
            }
            return true
        } catch {
            return false
        }
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
