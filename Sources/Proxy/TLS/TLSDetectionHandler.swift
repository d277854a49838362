import NIOCore
import NIOSSL

/// Begins TLS on the connection of an app, unless the app begins with something else.
final class TLSDetectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The first byte of a handshake (RFC 8446 section 5.1).
    private static let handshake: UInt8 = 22

    private let tls: NIOSSLContext
    private let app: AppChannel
    private var isOpen = false

    init(_ tls: NIOSSLContext, app: AppChannel) {
        self.tls = tls
        self.app = app
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !isOpen, let first = unwrapInboundIn(data).readableBytesView.first {
            isOpen = true
            if first == Self.handshake {
                begin(in: context)
            } else {
                app.refuseClearText()
            }
        }
        context.fireChannelRead(data)
    }

    private func begin(in context: ChannelHandlerContext) {
        do {
            try context.pipeline.syncOperations.addHandler(
                NIOSSLServerHandler(context: tls),
                position: .after(self)
            )
        } catch {
            context.close(promise: nil)
        }
    }
}
