import Basics
import Model
import NIOCore
import Platform
import Profiles

/// The beginning of a connection to the forward proxy, until it is known where it leads.
///
/// A tunnel to a named host (CONNECT, RFC 9110 section 9.3.6) is opened: TLS begins with a certificate
/// for that host, and the connection goes on as that of an app. A tunnel to any other host is passed on
/// as it is. A request with an absolute target goes on as that of an app, too, and is observed only if
/// its host is named.
final class ForwardChannel: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Phase {
        case head(HeadScanner)
        /// The tunnel to a host that is not opened is being connected.
        case connecting
        /// The tunnel is agreed upon; its first byte says whether it carries TLS.
        case agreed(ForwardTarget)
        case over
    }

    /// The time that a connection may wait before it has said where it leads.
    private static let helloTimeout = TimeAmount.seconds(30)
    /// The first byte of a handshake (RFC 8446 section 5.1).
    private static let handshake: UInt8 = 22

    private let shared: RelayContext
    private let forwarding: Forwarding
    private var phase = Phase.head(HeadScanner())
    private var unread = ByteBuffer()
    private var timer: Scheduled<Void>?

    init(_ forwarding: Forwarding, shared: RelayContext) {
        self.forwarding = forwarding
        self.shared = shared
    }

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        shared.hold(channel)
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.helloTimeout) { [self] in
            if unread.readableBytes > 0 { shared.recordUnreadable(.slow) }
            channel.close(promise: nil)
        }
        context.fireChannelActive()
        context.read()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(context)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        unread.writeBuffer(&bytes)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        proceed(context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent {
            context.close(promise: nil)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func end(_ context: ChannelHandlerContext) {
        phase = .over
        timer?.cancel()
        shared.release(context.channel)
    }

    private func proceed(_ context: ChannelHandlerContext) {
        switch phase {
        case .head(var scanner):
            if let first = unread.readableBytesView.first,
                let other = OtherProtocol(firstByte: first)
            {
                shared.recordUnreadable(other.subject)
                return refuse(context, other.answer)
            }
            do throws(MessageViolation) {
                let input = unread
                let length = try scanner.end(in: input.readableBytesUInt8Span)
                phase = .head(scanner)
                guard let length else { return context.read() }
                guard let head = input.getSlice(at: input.readerIndex, length: length) else {
                    return
                }
                begin(try HeadParser.request(head.readableBytesUInt8Span), length, context)
            } catch {
                shared.recordUnreadable(.malformed)
                let message = "refused \(error.description) of the request"
                refuse(context, ProxyResponse(status: error.status, message: message))
            }
        case .agreed(let target):
            guard let first = unread.readableBytesView.first else { return context.read() }
            open(target, isSecure: first == Self.handshake, context)
        case .connecting, .over: break
        }
    }

    private func begin(
        _ request: RequestMessage,
        _ length: Int,
        _ context: ChannelHandlerContext
    ) {
        if request.method == "CONNECT" {
            guard let target = ForwardTarget(tunnel: request.target) else {
                shared.recordUnreadable(.malformed)
                let message = "the target of CONNECT is no host and port"
                return refuse(context, ProxyResponse(status: 400, message: message))
            }
            unread.moveReaderIndex(forwardBy: length)
            if forwarding.isNamed(target) {
                phase = .agreed(target)
                agree(context)
                proceed(context)
            } else if let objection = forwarding.objection(to: target) {
                refuse(context, objection, at: target)
            } else {
                pass(target, context)
            }
            return
        }
        guard let target = ForwardTarget(url: request.target) else {
            return refuse(context, misdirected(request))
        }
        relay(target, context)
    }

    /// A request that takes the proxy for a server.
    private func misdirected(_ request: RequestMessage) -> ProxyResponse {
        let answer = ProxyResponse(
            status: 421,
            message:
                "this port is a forward proxy: set HTTPS_PROXY and HTTP_PROXY to its address, and use the "
                + "addresses of the backend"
        )
        let host = (request.authority ?? "").shownHost
        shared.recordRefusal(
            HostRefusal(answer: answer, host: host, isURL: false, isAllowable: false)
        )
        return answer
    }

    // MARK: - Where it leads

    private func agree(_ context: ChannelHandlerContext) {
        let answer = ByteBuffer(string: "HTTP/1.1 200 Connection Established\r\n\r\n")
        context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
    }

    /// Goes on as the connection of an app inside an agreed tunnel.
    private func open(
        _ target: ForwardTarget,
        isSecure: Bool,
        _ context: ChannelHandlerContext
    ) {
        do {
            let listener = try forwarding.listener(for: target, isSecure: isSecure)
            let operations = context.pipeline.syncOperations
            let app = AppChannel(listener, shared: shared)
            if isSecure {
                let tls = try forwarding.tls(for: target.host)
                try operations.addHandler(TLSDetectionHandler(tls, app: app))
            }
            try operations.addHandler(app)
            handOver(context)
        } catch {
            context.close(promise: nil)
        }
    }

    /// Goes on as the connection of an app that names the server with each request.
    private func relay(_ target: ForwardTarget, _ context: ChannelHandlerContext) {
        do {
            let listener = try forwarding.listener(for: target, isSecure: false)
            let app = AppChannel(listener, forwarding: forwarding, shared: shared)
            try context.pipeline.syncOperations.addHandler(app)
            handOver(context)
        } catch {
            refuse(context, unreachable(target))
        }
    }

    /// Passes on what a tunnel carries, and looks at none of it.
    private func pass(_ target: ForwardTarget, _ context: ChannelHandlerContext) {
        phase = .connecting
        guard let connector = try? forwarding.connector(for: target) else {
            return refuse(context, unreachable(target))
        }
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        connector.connect { operations in
            try operations.addHandler(TunnelEnd())
        }
        .assumeIsolated()
        .whenComplete { [self] result in
            let context = bound.value
            switch result {
            case .success(let channel): connected(channel, to: target, context)
            case .failure(let error): notConnected(error, connector, context)
            }
        }
    }

    private func connected(
        _ channel: any Channel,
        to target: ForwardTarget,
        _ context: ChannelHandlerContext
    ) {
        guard case .connecting = phase,
            let far = try? channel.pipeline.syncOperations.handler(type: TunnelEnd.self)
        else { return channel.close(promise: nil) }
        if let objection = shared.objection(to: channel, isNamed: false) {
            channel.close(promise: nil)
            return refuse(context, objection, at: target)
        }
        shared.recordUnreadable(.tunnels)
        do {
            let near = TunnelEnd()
            try context.pipeline.syncOperations.addHandler(near)
            agree(context)
            shared.hold(channel)
            TunnelEnd.join(near, far) { [shared] in shared.release(channel) }
            handOver(context)
            far.read()
            near.read()
        } catch {
            channel.close(promise: nil)
            context.close(promise: nil)
        }
    }

    private func notConnected(
        _ error: any Error,
        _ connector: OriginConnector,
        _ context: ChannelHandlerContext
    ) {
        guard case .connecting = phase else { return }
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.eventLoop.makeFutureWithTask { await connector.explain(error, at: .connecting) }
            .assumeIsolated()
            .whenSuccess { [self] failure in
                guard case .connecting = phase else { return }
                let status = failure.isTimeout ? 504 : 502
                refuse(bound.value, ProxyResponse(status: status, message: failure.message))
            }
    }

    /// Gives what was read to the handlers behind, and leaves the connection to them.
    private func handOver(_ context: ChannelHandlerContext) {
        end(context)
        let rest = unread
        unread = ByteBuffer()
        if rest.readableBytes > 0 {
            context.fireChannelRead(wrapInboundOut(rest))
            context.fireChannelReadComplete()
        }
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    private func unreachable(_ target: ForwardTarget) -> ProxyResponse {
        let name = target.authority.inOneLine(limit: 80)
        return ProxyResponse(status: 502, message: "\(name) cannot be reached")
    }

    private func refuse(
        _ context: ChannelHandlerContext,
        _ objection: ForwardObjection,
        at target: ForwardTarget
    ) {
        if objection != .itself { shared.recordUnreadable(.refusedTunnels) }
        refuse(context, objection.answer(of: target.authority))
    }

    private func refuse(_ context: ChannelHandlerContext, _ answer: ProxyResponse) {
        end(context)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(answer.bytes(to: nil))).whenComplete { _ in
            channel.close(promise: nil)
        }
    }
}
