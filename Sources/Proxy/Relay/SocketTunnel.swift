import HTTP
import NIOCore
import Observer

/// A WebSocket that is relayed byte by byte.
struct SocketTunnel {
    /// Its exchange's number.
    let number: Int
    var app: SocketTap
    var backend: SocketTap
    /// The first close frame.
    var close: SocketEnd?
    /// The text of that.
    var reason = ""
    /// Whether nothing more is passed on to the app.
    var isMuted = false
    /// The code with which it is closed once a frame may be put in.
    var cut: Int?

    init(number: Int, compression: AgreedCompression?) {
        self.number = number
        app = SocketTap(from: .app, compression: compression)
        backend = SocketTap(from: .backend, compression: compression)
    }
}

extension AppChannel {
    /// - Parameters:
    ///   - exchange: The upgrade.
    ///   - extensions: Those that the backend has agreed to.
    func openTunnel(for exchange: RelayedExchange, extensions: [String]) {
        shared.observe(.socketOpened, of: exchange.number)
        self.exchange = nil
        tunnel = SocketTunnel(
            number: exchange.number,
            compression: AgreedCompression(reading: extensions)
        )
        if listener.isObserved { shared.sockets[exchange.number] = self }
        proceed()
    }

    func relayTunnelInput() {
        guard let upstream, unread.readableBytes > 0 else { return }
        tap(unread, from: .app)
        upstream.write(unread)
        unread = ByteBuffer()
    }

    func relayTunnelOutput(from upstream: UpstreamChannel) {
        let bytes = upstream.unread
        upstream.unread = ByteBuffer()
        guard tunnel?.isMuted != true else { return }
        tap(bytes, from: .backend)
        write(bytes)
        cutIfPossible()
    }

    /// Carries out an order if it is for this socket.
    func perform(_ order: SocketOrder) {
        guard let number = tunnel?.number, order.sockets?.contains(number) ?? true else { return }
        shared.observe(.injected(experiment: order.experiment), of: number)
        switch order.action {
        case .mute: tunnel?.isMuted = true
        case .cut(let code):
            tunnel?.cut = code
            cutIfPossible()
        }
    }

    /// Closes a socket that is to be cut; a close frame must not come in the middle of another.
    private func cutIfPossible() {
        guard let tunnel, let code = tunnel.cut else { return }
        guard code != 1006 else {
            closeTunnel(endedBy: .proxy)
            reset()
            return
        }
        guard tunnel.backend.isBetweenFrames else { return }
        let status = UInt16(clamping: code)
        write(ByteBuffer(bytes: [0x88, 2, UInt8(status >> 8), UInt8(status & 0xFF)]))
        self.tunnel?.close = SocketEnd(by: .proxy, code: code)
        closeTunnel(endedBy: .proxy)
        leaveUpstream(isReset: false)
        linger()
    }

    /// Reports that the socket is closed: by the side that sent the first close frame, or ended the
    /// connection without one.
    func closeTunnel(endedBy side: TrafficSide) {
        guard let tunnel else { return }
        let end = tunnel.close ?? SocketEnd(by: side, code: nil)
        shared.observe(.socketClosed(end, reason: tunnel.reason), of: tunnel.number)
        shared.sockets[tunnel.number] = nil
        self.tunnel = nil
    }

    private func tap(_ bytes: ByteBuffer, from side: TrafficSide) {
        guard var tunnel = tunnel.take() else { return }
        let (shared, number) = (shared, tunnel.number)
        var (close, reason) = (tunnel.close, tunnel.reason)
        let report = { (occurrence: SocketTap.Event) in
            switch occurrence {
            case .message(let message): shared.observe(.socketMessage(message), of: number)
            case .close(let code, let text):
                guard close == nil else { return }
                close = SocketEnd(by: side, code: code)
                reason = text
            }
        }
        let span = bytes.readableBytesUInt8Span
        if side == .app {
            tunnel.app.read(span, report: report)
        } else {
            tunnel.backend.read(span, report: report)
        }
        (tunnel.close, tunnel.reason) = (close, reason)
        self.tunnel = tunnel
    }
}
