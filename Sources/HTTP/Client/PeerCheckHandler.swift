import NIOCore
import NIOSSL
import NIOTLS

/// Holds what is written back until the server's certificate is checked, which is valid by then.
///
/// It follows the TLS handler. If the check fails, the connection ends, and nothing is sent.
final class PeerCheckHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let handshake: NIOSSLClientHandler
    private let check: PeerCheck
    private var isChecked = false
    private var held: [(data: NIOAny, promise: EventLoopPromise<Void>?)] = []

    init(handshake: NIOSSLClientHandler, check: @escaping PeerCheck) {
        self.handshake = handshake
        self.check = check
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent, !isChecked {
            if let reason = check(handshake.peerCertificate) {
                let error = WebSocketDialError.peerRejected(reason)
                release { $0.promise?.fail(error) }
                context.fireErrorCaught(error)
                context.close(promise: nil)
                return
            }
            isChecked = true
            release { context.write($0.data, promise: $0.promise) }
            context.flush()
        }
        context.fireUserInboundEventTriggered(event)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if isChecked {
            context.write(data, promise: promise)
        } else {
            held.append((data, promise))
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        release { $0.promise?.fail(ChannelError.ioOnClosedChannel) }
        context.fireChannelInactive()
    }

    private func release(_ body: ((data: NIOAny, promise: EventLoopPromise<Void>?)) -> Void) {
        let all = held
        held = []
        all.forEach(body)
    }
}
