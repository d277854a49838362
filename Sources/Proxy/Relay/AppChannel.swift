import Model
import NIOCore
import NIOSSL
import NIOTLS
import Observer
import Platform
import Profiles

/// The connection of an app, and its requests, one at a time; or one stream of a connection of HTTP/2,
/// with its one request.
///
/// Its connection to the backend is opened at its first request, and ends as the backend ends it,
/// or as the app does. Each side is read only while the other takes what is read, so nothing
/// gathers here.
final class AppChannel: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The way to the backend.
    enum Route {
        /// No request has come.
        case none
        case connecting
        case open(UpstreamChannel)
        /// The backend ended the connection, or there was none.
        case over
    }

    enum Phase {
        case relaying
        /// Bytes that the app still sends are dropped, since it has got the last answer.
        case lingering
        case over
    }

    /// The part that is still to come from the app.
    enum Input {
        case open
        /// Nothing.
        case ended
        /// Nothing, and the backend knows it.
        case endRelayed
    }

    /// The state of TLS.
    enum Security {
        /// It has begun, and no request can come yet.
        case handshaking
        case established
    }

    /// An answer that was written to the app.
    struct Delivery {
        let exchange: Int
        let at: NIODeadline
        /// Whether the answer says that the connection ends with it, and has an end of its own.
        let isLast: Bool
    }

    let shared: RelayContext
    /// The stand-in for the backend of the current request.
    var listener: Listener
    /// The forward proxy, if requests name their servers; `nil` if all lead to one.
    let forwarding: Forwarding?
    /// The stream, or `nil` for a connection of HTTP/1.1.
    let stream: AppStream?
    private(set) var context: ChannelHandlerContext?
    private(set) var number = 0
    private(set) var peer = ""
    var route = Route.none
    var exchange: RelayedExchange?
    var tunnel: SocketTunnel?
    /// The bytes that have come from the app and are not relayed.
    var unread = ByteBuffer()
    var scanner = HeadScanner()
    private var input = Input.open
    var phase = Phase.relaying
    private(set) var error: (any Error)?
    /// Whether the app has sent an alert in clear text that it refuses the certificate.
    var hasRefusedCertificate = false
    /// The answer that was written last.
    var lastDelivery: Delivery?
    /// The state of TLS, or `nil` for plain HTTP.
    var security: Security?
    /// The user of the app, where it matters who that is.
    var peerUser: EventLoopFuture<PeerUser>?
    /// Since when no request is in progress, as far as has been noticed, and whether one has begun.
    var waiting: (since: NIODeadline, hasBegun: Bool)?

    init(
        _ listener: Listener,
        forwarding: Forwarding? = nil,
        stream: AppStream? = nil,
        shared: RelayContext
    ) {
        self.listener = listener
        self.forwarding = forwarding
        self.stream = stream
        self.shared = shared
    }

    var upstream: UpstreamChannel? {
        if case .open(let upstream) = route { return upstream }
        return nil
    }

    var isOver: Bool { phase == .over }

    var isLingering: Bool { phase == .lingering }

    /// Whether the app will send nothing more.
    var isInputOver: Bool { input != .open }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        // The connection may have begun before it was known where it leads.
        if context.channel.isActive { begin(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
    }

    private func begin(_ context: ChannelHandlerContext) {
        if let connection = stream?.connection {
            (number, peer) = (connection.number, connection.peer)
            peerUser = connection.peerUser
        } else {
            number = shared.opened(self)
            peer = context.remoteAddress?.ipAddress ?? ""
            identifyUser(context)
            if listener.isObserved, let remote = context.remoteAddress?.port,
                let own = context.localAddress, let host = own.ipAddress, let port = own.port
            {
                shared.processes?.opened(number, from: (peer, remote), to: (host, port))
            }
        }
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isLingering else { return }
        var bytes = unwrapInboundIn(data)
        if unread.readableBytes == 0 { unread = bytes } else { unread.writeBuffer(&bytes) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        proceed()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { upstream?.read() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { security = .established }
        if case .inputClosed? = event as? ChannelEvent { inputEnded() }
        if case .handshakeCompleted("h2")? = event as? TLSUserEvent { becomeHTTP2() }
    }

    private func inputEnded() {
        guard !isInputOver else { return }
        input = .ended
        if isLingering { finish() } else { proceed() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // An app that ends TLS without saying so has ended nevertheless.
        if case NIOSSLError.uncleanShutdown = error, self.error == nil { return inputEnded() }
        if case NIOSSLError.handshakeFailed(let cause) = error {
            let isUntrusted = hasRefusedCertificate || cause.refusesCertificate
            shared.recordUnreadable(isUntrusted ? .untrusted : .handshakes)
        }
        self.error = error
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if stream == nil { shared.closed(number) }
        guard !isOver else { return }
        // A connection that ends without having said so was reset.
        abandon(isReset: error != nil || !isInputOver)
    }

    /// Relays what can be relayed now, and reads on if there is use for it.
    func proceed() {
        while !isOver, !isLingering, relayNext() {}
        guard !isOver else { return }
        recordLeaving()
        // The memory of what was read is left to the next read.
        if unread.readableBytes == 0 { unread = ByteBuffer() }
        upstream?.flush()
        if !isLingering, input == .ended { relayInputEnd() }
        if wantsInput { context?.read() }
    }

    /// Closes the connection if the app has not begun, or not completed, a request for too long.
    func closeIfIdle(at now: NIODeadline, _ limits: IdleLimits) {
        guard exchange == nil, tunnel == nil, !isOver, !isLingering else { return waiting = nil }
        let hasBegun = unread.readableBytes > 0
        guard let waiting, waiting.hasBegun == hasBegun else { return waiting = (now, hasBegun) }
        let seconds = hasBegun || security == .handshaking ? limits.head : limits.idle
        guard now - waiting.since > .nanoseconds(Int64(seconds * 1e9)) else { return }
        if hasBegun || security == .handshaking { shared.recordUnreadable(.slow) }
        if hasBegun {
            let message = "the request was not complete within \(Int(seconds)) s"
            answer(ProxyResponse(status: 408, message: message), to: nil)
        } else {
            leaveUpstream(isReset: false)
            close()
        }
    }

    func close() {
        context?.close(promise: nil)
    }

    /// - Returns: Whether there may be more to relay at once.
    private func relayNext() -> Bool {
        if tunnel != nil {
            relayTunnelInput()
            return false
        }
        guard let exchange else { return beginExchange() }
        guard !exchange.isRequestComplete else { return false }
        relayBody(of: exchange)
        return self.exchange == nil
    }

    private var wantsInput: Bool {
        if isLingering { return true }
        guard let exchange else { return tunnel == nil || upstream?.isWritable ?? false }
        return switch exchange.requestState {
        case .held, .dropped: true
        case .relayed: upstream?.isWritable ?? false
        case .waiting, .complete: false
        }
    }

    /// Tells the backend that the app will send nothing more, once all that it sent is relayed.
    private func relayInputEnd() {
        if let exchange {
            guard !exchange.isWaiting else { return }
            // Bytes after a request are the next one, which waits for the answer.
            guard !exchange.isRequestComplete || unread.readableBytes == 0 else { return }
        }
        let isHeld = exchange?.isRequestHeld == true
        switch route {
        case .none where isHeld, .over where isHeld:
            // The rest of a request that is held does not come any more.
            if let exchange { fail(exchange, .notSent(message: "the app did not send all of it")) }
            finish()
        case .over where exchange?.isLost == true: reset()
        case .none, .over:
            if exchange == nil { finish() }
        case .connecting: return
        case .open where exchange == nil && tunnel == nil:
            leaveUpstream(isReset: false)
            finish()
        case .open(let upstream):
            input = .endRelayed
            upstream.finish()
        }
    }

    /// Another backend's connection does not know yet that the app will send nothing more.
    func forgetRelayedEnd() {
        if input == .endRelayed { input = .ended }
    }

    /// Leaves the connection, and what has come over it, to HTTP/2.
    func becomeHTTP2() {
        guard let context, phase == .relaying, exchange == nil else { return }
        do {
            let connection = try HTTP2AppConnection.install(behind: self, in: context)
            shared.replace(number, by: connection)
        } catch {
            return close()
        }
        phase = .over
        let bytes = unread
        unread = ByteBuffer()
        if bytes.readableBytes > 0 {
            context.fireChannelRead(wrapInboundOut(bytes))
            context.fireChannelReadComplete()
        }
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    /// Refuses an app that has begun without TLS, where the server speaks it.
    func refuseClearText() {
        shared.recordUnreadable(.clearText)
        let message = "this port speaks TLS: use https:// in the address"
        answer(ProxyResponse(status: 400, message: message), to: nil)
    }
}
