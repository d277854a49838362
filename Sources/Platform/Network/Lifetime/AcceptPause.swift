import NIOCore
package import NIOPosix

/// Stops accepting connections for a moment when the system has no descriptor or memory for one.
///
/// NIO leaves the port registered as readable after such an error, so that its thread spins as long
/// as a connection waits. Connections are accepted again within the moment after others have ended.
private final class AcceptPause: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private static let moment = TimeAmount.milliseconds(200)

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is IOError, let options = context.channel.syncOptions {
            try? options.setOption(.autoRead, value: false)
            context.eventLoop.assumeIsolated().scheduleTask(in: Self.moment) {
                try? options.setOption(.autoRead, value: true)
            }
        }
        context.fireErrorCaught(error)
    }
}

extension ServerBootstrap {
    /// Accepts connections with a pause when the system has no descriptor or memory for one.
    package func pausingWhenExhausted() -> ServerBootstrap {
        serverChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(AcceptPause())
            }
        }
    }
}
