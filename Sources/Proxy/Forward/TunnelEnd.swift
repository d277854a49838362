import NIOCore
import Platform

/// One end of a tunnel that is passed on unseen; each end is read only while the other takes what is
/// read.
final class TunnelEnd: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var context: ChannelHandlerContext?
    private var other: TunnelEnd?
    private var whenOver: (() -> Void)?
    /// Whether its peer has ended before the ends were joined.
    private var isEnded = false
    /// Whether its connection failed, such as by a reset.
    private var hasFailed = false

    /// Joins two ends; `whenOver` is called once, when the tunnel is over.
    static func join(_ near: TunnelEnd, _ far: TunnelEnd, whenOver: @escaping () -> Void) {
        near.other = far
        far.other = near
        near.whenOver = whenOver
        if far.isEnded { near.finish() }
    }

    func read() {
        context?.read()
    }

    private var isWritable: Bool { context?.channel.isWritable ?? false }

    private func write(_ data: NIOAny) {
        context?.write(data, promise: nil)
    }

    private func flush() {
        context?.flush()
    }

    /// Ends its half of the connection once everything is written.
    private func finish() {
        afterWriting { $0.close(mode: .output, promise: nil) }
    }

    /// Ends the connection once everything is written, as that of the other end has ended.
    private func close(isReset: Bool) {
        afterWriting { context in
            guard isReset else { return context.close(promise: nil) }
            OriginConnector.reset(context.channel)
        }
    }

    private func afterWriting(_ end: @escaping (ChannelHandlerContext) -> Void) {
        guard let context else { return }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer())).assumeIsolated().whenComplete { _ in
            end(context)
        }
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        other = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        other?.write(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        guard let other else { return }
        other.flush()
        if other.isWritable { context.read() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { other?.read() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .inputClosed? = event as? ChannelEvent else { return }
        isEnded = true
        other?.finish()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        hasFailed = true
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        let over = whenOver ?? other?.whenOver
        whenOver = nil
        other?.whenOver = nil
        other?.close(isReset: hasFailed)
        over?()
    }
}
