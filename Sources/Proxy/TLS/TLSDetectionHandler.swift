import NIOCore
import NIOSSL

/// Begins TLS on the connection of an app, unless the app begins with something else.
final class TLSDetectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The first byte of a handshake (RFC 8446 section 5.1).
    private static let handshake: UInt8 = 22
    /// The alerts `bad_certificate`, `certificate_unknown` and `unknown_ca` (RFC 8446 section 6.2).
    private static let certificateAlerts: Set<UInt8> = [42, 46, 48]

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
        if refusesCertificate(unwrapInboundIn(data)) { app.hasRefusedCertificate = true }
        context.fireChannelRead(data)
    }

    /// Whether bytes end with an alert about the certificate that is not encrypted: a client of TLS 1.3
    /// that knows no keys yet sends it in clear text, which the server's library takes for a mistake.
    private func refusesCertificate(_ bytes: ByteBuffer) -> Bool {
        let record = Array(bytes.readableBytesView.suffix(7))
        guard record.count == 7, record.starts(with: [21, 3]), record[3...5] == [0, 2, 2] else {
            return false
        }
        return Self.certificateAlerts.contains(record[6])
    }

    private func begin(in context: ChannelHandlerContext) {
        app.isHandshaking = true
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
