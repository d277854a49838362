import NIOCore
import Observation

/// A WebSocket that is relayed byte by byte.
struct SocketTunnel {
    /// Its exchange's number.
    let number: Int
    var app = SocketTap(from: .app)
    var backend = SocketTap(from: .backend)
    /// The first close frame.
    var close: SocketEnd?

    init(number: Int) {
        self.number = number
    }
}

extension AppChannel {
    func openTunnel(for exchange: Exchange) {
        shared.observe(.socketOpened, of: exchange.number)
        self.exchange = nil
        tunnel = SocketTunnel(number: exchange.number)
        proceed()
    }

    func relayTunnelInput() {
        guard let upstream, unread.readableBytes > 0 else { return }
        tap(unread, from: .app)
        upstream.write(unread)
        unread = ByteBuffer()
    }

    func relayTunnelOutput(from upstream: UpstreamChannel) {
        tap(upstream.unread, from: .backend)
        write(upstream.unread)
        upstream.unread = ByteBuffer()
    }

    /// Tells that the socket is closed: by whoever sent the first close frame, or ended the
    /// connection without one.
    func closeTunnel(endedBy side: TrafficSide) {
        guard let tunnel else { return }
        let end = tunnel.close ?? SocketEnd(by: side, code: nil)
        shared.observe(.socketClosed(end), of: tunnel.number)
        self.tunnel = nil
    }

    private func tap(_ bytes: ByteBuffer, from side: TrafficSide) {
        guard var tunnel = tunnel.take() else { return }
        let (shared, number) = (shared, tunnel.number)
        var close = tunnel.close
        let report = { (sighting: SocketTap.Sighting) in
            switch sighting {
            case .message(let message): shared.observe(.socketMessage(message), of: number)
            case .close(let code): close = close ?? SocketEnd(by: side, code: code)
            }
        }
        let span = bytes.readableBytesUInt8Span
        if side == .app {
            tunnel.app.read(span, report: report)
        } else {
            tunnel.backend.read(span, report: report)
        }
        tunnel.close = close
        self.tunnel = tunnel
    }
}
