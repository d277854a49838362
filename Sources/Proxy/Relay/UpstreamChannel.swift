import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOSSL
import Platform

/// The connection to the backend, which belongs to one connection of an app; or a stream of HTTP/2, which
/// belongs to one stream.
///
/// It is created for each attempt to connect; one of them is adopted.
final class UpstreamChannel: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The backend's end of the connection.
    enum End {
        /// It will send nothing more.
        case finished
        /// The connection failed, such as by a reset.
        case failed(any Error)
    }

    /// The bytes that have come and are not relayed.
    var unread = ByteBuffer()
    /// The stream, or `nil` for a connection of HTTP/1.1.
    let stream: StreamCodec?
    private var app: AppChannel?
    private var context: ChannelHandlerContext?
    private var end: End?
    /// Whether our half of the connection is closed.
    private var isFinished = false

    init(stream: StreamCodec? = nil) {
        self.stream = stream
    }

    /// Whether anything has come that is not relayed.
    var hasUnread: Bool { unread.readableBytes > 0 || stream?.hasHead == true }

    /// Whether it takes more bytes now.
    var isWritable: Bool { context?.channel.isWritable ?? false }

    /// Begins to report to the connection of the app.
    func adopt(by app: AppChannel) {
        self.app = app
        if let end { app.upstreamEnded(end) } else { read() }
    }

    func read() {
        if end == nil { context?.read() }
    }

    /// Leaves the memory of what was read to the next read.
    func releaseRead() {
        if unread.readableBytes == 0 { unread = ByteBuffer() }
    }

    func write(_ request: RequestMessage, _ body: ByteBuffer, isSecure: Bool) {
        if let stream {
            stream.write(request.block(isSecure: isSecure))
            if body.readableBytes > 0 { write(body) }
            return
        }
        var buffer = ByteBuffer()
        buffer.reserveCapacity(1024)
        request.write(into: &buffer)
        buffer.writeImmutableBuffer(body)
        write(buffer)
    }

    /// Ends the request on a stream.
    func end(_ trailers: HPACKHeaders?) {
        stream?.end(trailers)
    }

    func write(_ bytes: ByteBuffer) {
        context?.write(wrapOutboundOut(bytes), promise: nil)
    }

    func flush() {
        context?.flush()
    }

    /// Sends nothing more, as the app does not.
    func finish() {
        guard let context else { return }
        isFinished = true
        context.writeAndFlush(wrapOutboundOut(ByteBuffer())).assumeIsolated().whenComplete { _ in
            context.close(mode: .output, promise: nil)
        }
    }

    /// Ends the connection and reports nothing more.
    ///
    /// - Parameters:
    ///   - isReset: Whether the app reset its connection.
    ///   - code: The code with which it reset its stream.
    func leave(isReset: Bool, code: HTTP2ErrorCode? = nil) {
        app = nil
        guard let channel = context?.channel else { return }
        if let stream { return stream.reset(code ?? .cancel) }
        guard isReset else { return OriginConnector.close(channel) }
        // A connection must not be closed inside a callback of BoringSSL.
        channel.eventLoop.execute { OriginConnector.reset(channel) }
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        app = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if unread.readableBytes == 0 { unread = bytes } else { unread.writeBuffer(&bytes) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        app?.upstreamRead()
        if stream?.isInputEnded == true { ended(.finished) }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { app?.proceed() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { ended(.finished) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A server that ends TLS without saying so has ended nevertheless.
        if case NIOSSLError.uncleanShutdown = error {
            ended(.finished)
        } else {
            ended(.failed(error))
        }
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        // The backend's end of the connection is reported before, unless ours was closed already.
        let isOrderly = end != nil || isFinished
        ended(isOrderly ? .finished : .failed(ChannelError.ioOnClosedChannel))
    }

    private func ended(_ end: End) {
        switch (self.end, end) {
        case (nil, _): self.end = end
        // A reset may follow the end of what it sends.
        case (.finished?, .failed): self.end = end
        case (.finished?, .finished), (.failed?, _): return
        }
        app?.upstreamEnded(end)
    }
}
