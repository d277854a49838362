import NIOCore

/// Holds back the end of the transport for one turn of the event loop.
///
/// NIO's HTTP decoder leaves the pipeline one turn after it has read a 101, and throws away what
/// came behind it when the end comes in between. Servers that accept only to say why they close
/// (101, close frame and FIN at once) would be heard saying nothing.
final class EndOfTransportDelay: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func channelInactive(context: ChannelHandlerContext) {
        context.eventLoop.assumeIsolated().execute { context.fireChannelInactive() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.eventLoop.assumeIsolated().execute { context.fireErrorCaught(error) }
    }
}
