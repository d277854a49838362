import NIOCore
import NIOSSL

/// The TLS of a server, which offers HTTP/2 where the backend speaks it, so that nothing has to be
/// translated.
struct AppTLS {
    let http1: NIOSSLContext
    let http2: NIOSSLContext

    init(_ configuration: TLSConfiguration) throws {
        var configuration = configuration
        configuration.applicationProtocols = ["http/1.1"]
        http1 = try NIOSSLContext(configuration: configuration)
        configuration.applicationProtocols = ["h2", "http/1.1"]
        http2 = try NIOSSLContext(configuration: configuration)
    }
}

/// Begins TLS on the connection of an app, unless the app begins with something else.
final class TLSDetectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The first byte of a handshake (RFC 8446 section 5.1).
    private static let handshake: UInt8 = 22
    /// The alerts `bad_certificate`, `certificate_unknown` and `unknown_ca` (RFC 8446 section 6.2).
    private static let certificateAlerts: Set<UInt8> = [42, 46, 48]

    /// The limit for what comes before it is known what to offer, in bytes.
    private static let limit = 64 << 10

    private let tls: AppTLS
    private let app: AppChannel
    private var isOpen = false
    /// The beginning of a handshake, until it is known what to offer.
    private var held: ByteBuffer?

    init(_ tls: AppTLS, app: AppChannel) {
        self.tls = tls
        self.app = app
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if held != nil {
            held?.writeImmutableBuffer(unwrapInboundIn(data))
            if held?.readableBytes ?? 0 > Self.limit { context.close(promise: nil) }
            return
        }
        if !isOpen, let first = unwrapInboundIn(data).readableBytesView.first {
            isOpen = true
            if first == Self.handshake {
                app.security = .handshaking
                held = unwrapInboundIn(data)
                app.shared.speaksHTTP2(app.listener).assumeIsolated().whenSuccess { [self] speaks in
                    begin(in: context, offeringHTTP2: speaks)
                }
                return
            }
            app.refuseClearText()
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

    private func begin(in context: ChannelHandlerContext, offeringHTTP2 offersHTTP2: Bool) {
        guard let bytes = held, context.channel.isActive else { return }
        held = nil
        do {
            try context.pipeline.syncOperations.addHandler(
                NIOSSLServerHandler(context: offersHTTP2 ? tls.http2 : tls.http1),
                position: .after(self)
            )
        } catch {
            return context.close(promise: nil)
        }
        context.fireChannelRead(wrapInboundOut(bytes))
        context.fireChannelReadComplete()
    }
}
