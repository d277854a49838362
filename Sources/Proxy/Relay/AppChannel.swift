import NIOCore
import NIOSSL
import Observer
import Platform
import Profiles

/// The connection of an app, and its requests, one at a time.
///
/// Its connection to the backend is opened at its first request, and ends as the backend ends it,
/// or as the app does. Each side is read only while the other takes what is read, so nothing
/// gathers here.
final class AppChannel: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
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
    private enum Input {
        case open
        /// Nothing.
        case ended
        /// Nothing, and the backend knows it.
        case endRelayed
    }

    let shared: RelayContext
    let listener: Listener
    private(set) var context: ChannelHandlerContext?
    private(set) var number = 0
    private(set) var peer = ""
    var route = Route.none
    var exchange: RelayedExchange?
    var tunnel: SocketTunnel?
    /// The bytes that have come from the app and are not relayed.
    var unread = ByteBuffer()
    private var scanner = HeadScanner()
    private var input = Input.open
    var phase = Phase.relaying
    private(set) var error: (any Error)?
    /// The answer that was written last, and when.
    var lastDelivery: (exchange: Int, at: NIODeadline)?
    /// Since when no request is in progress, as far as has been noticed, and whether one has begun.
    private var waiting: (since: NIODeadline, hasBegun: Bool)?

    init(_ listener: Listener, shared: RelayContext) {
        self.listener = listener
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
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        number = shared.opened(self)
        peer = context.remoteAddress?.ipAddress ?? ""
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
        if case .inputClosed? = event as? ChannelEvent { inputEnded() }
    }

    private func inputEnded() {
        guard !isInputOver else { return }
        input = .ended
        if isLingering { finish() } else { proceed() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // An app that ends TLS without saying so has ended nevertheless.
        if case NIOSSLError.uncleanShutdown = error, self.error == nil { return inputEnded() }
        self.error = error
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        shared.closed(number)
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
        let seconds = hasBegun ? limits.head : limits.idle
        guard now - waiting.since > .nanoseconds(Int64(seconds * 1e9)) else { return }
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
        case .complete: false
        }
    }

    /// Tells the backend that the app will send nothing more, once all that it sent is relayed.
    private func relayInputEnd() {
        if let exchange {
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
}

// MARK: Requests

extension AppChannel {
    /// Begins an exchange if the head of a request is complete.
    private func beginExchange() -> Bool {
        do throws(MessageViolation) {
            let input = unread
            guard let length = try scanner.end(in: input.readableBytesUInt8Span),
                let head = unread.readSlice(length: length)
            else { return false }
            scanner = HeadScanner()
            var request = try HeadParser.request(head.readableBytesUInt8Span)
            try request.checkHost()
            let local = context?.localAddress
            let refusal = shared.hosts.refusal(
                of: request,
                at: local?.ipAddress,
                port: local?.port ?? 0
            )
            if let refusal {
                shared.recordRefusal(refusal)
                answer(refusal.answer, to: request)
                return false
            }
            guard let target = listener.rewriter.localTarget(of: request) else { throw .target }
            request.target = target
            begin(request, try BodyFraming(of: request))
            return true
        } catch {
            refuse(error)
            return false
        }
    }

    private func begin(_ request: RequestMessage, _ framing: BodyFraming) {
        let (exchangeNumber, decision) = shared.begin(
            WireRequest(request, to: listener.name),
            connection: number,
            peer: peer
        )
        let exchange = RelayedExchange(number: exchangeNumber, request: request, framing: framing)
        self.exchange = exchange
        waiting = nil
        carryOut(decision, on: exchange)
    }

    /// Sends a request on, or does what was decided in place of that.
    private func carryOut(_ decision: FaultDecision, on exchange: RelayedExchange) {
        switch decision {
        case .pass: forward(exchange)
        case .awaitBody: exchange.requestState = .held(ByteBuffer())
        case .answer(let answer):
            if !exchange.isRequestComplete { exchange.requestState = .dropped }
            inject(answer, into: exchange)
        case .change(let experiment, let change):
            exchange.change = (experiment, change)
            if change != .rewrite {
                shared.observe(.injected(experiment: experiment), of: exchange.number)
            }
            forward(exchange)
        }
    }

    private func forward(_ exchange: RelayedExchange) {
        switch route {
        case .none:
            exchange.isFirst = true
            connect()
        case .open(let upstream): send(exchange, to: upstream)
        case .connecting, .over:
            fail(exchange, .notSent(message: "the backend had closed the connection"))
            reset()
        }
    }

    func send(_ exchange: RelayedExchange, to upstream: UpstreamChannel) {
        var buffer = ByteBuffer()
        buffer.reserveCapacity(1024)
        let request = listener.rewriter.request(
            exchange.request,
            from: peer,
            isChanged: exchange.change?.1 == .rewrite
        )
        request.write(into: &buffer)
        buffer.writeBuffer(&exchange.heldBody)
        upstream.write(buffer)
    }

    /// Relays what there is of a request's body.
    private func relayBody(of exchange: RelayedExchange) {
        if case .relayed = exchange.requestState {
            guard upstream != nil || exchange.requestBody.isComplete else { return }
        }
        do throws(MessageViolation) {
            let input = unread
            let bytes = input.readableBytesUInt8Span
            var copy: [UInt8] = []
            let count = try exchange.requestBody.scan(bytes) { range in
                exchange.requestTap.copy(bytes.extracting(range), to: &copy)
            }
            if !copy.isEmpty { shared.observe(.requestBody(copy), of: exchange.number) }
            if count > 0, let slice = unread.readSlice(length: count) { pass(slice, of: exchange) }
        } catch {
            let message = "the proxy refused \(error.description) of the request"
            fail(exchange, .unanswered(message: message))
            if exchange.isAnswerBegun { reset() } else { refuse(error) }
            return
        }
        guard exchange.requestBody.isComplete else {
            // A body that is too long to be read decides nothing.
            if case .held(let held) = exchange.requestState,
                held.readableBytes > TrafficInput.bodyLimit
            {
                exchange.requestState = .relayed
                release(exchange, with: held, .pass)
            }
            return
        }
        let state = exchange.requestState
        exchange.requestState = .complete
        shared.observe(.requestEnd(bytes: exchange.requestBody.bytes), of: exchange.number)
        if case .held(let held) = state {
            release(exchange, with: held, shared.decide(on: exchange.number))
        }
        endIfComplete(exchange)
    }

    /// Passes a part of a request's body to where it belongs now.
    private func pass(_ part: ByteBuffer, of exchange: RelayedExchange) {
        switch exchange.requestState {
        case .held(var held):
            // So that there is one reference to what is appended to.
            exchange.requestState = .held(ByteBuffer())
            held.writeImmutableBuffer(part)
            exchange.requestState = .held(held)
        case .relayed: upstream?.write(part)
        case .dropped, .complete: break
        }
    }

    /// Carries out what was decided on a request that was held.
    private func release(
        _ exchange: RelayedExchange,
        with body: ByteBuffer,
        _ decision: FaultDecision
    ) {
        exchange.heldBody = body
        if case .awaitBody = decision {
            carryOut(.pass, on: exchange)
        } else {
            carryOut(decision, on: exchange)
        }
    }

    /// Makes room for the next request when both halves of an exchange are complete.
    func endIfComplete(_ exchange: RelayedExchange) {
        if exchange.isRequestComplete, exchange.isAnswerComplete { self.exchange = nil }
    }

    /// Refuses an app that has begun without TLS, where the server speaks it.
    func refuseClearText() {
        let message = "this port speaks TLS: use https:// in the address"
        answer(ProxyResponse(status: 400, message: message), to: nil)
    }

    /// Refuses what is not a request.
    private func refuse(_ violation: MessageViolation) {
        let message = "refused \(violation.description) of the request"
        answer(ProxyResponse(status: violation.status, message: message), to: nil)
    }

    /// Answers in place of the backend, at once or after the time that the answer takes.
    private func inject(_ answer: InjectedAnswer, into exchange: RelayedExchange) {
        guard answer.delay > 0 else { return give(answer, to: exchange) }
        shared.loop.assumeIsolated().scheduleTask(in: .milliseconds(Int64(answer.delay * 1_000))) {
            [self] in
            guard !isOver, self.exchange === exchange else { return }
            give(answer, to: exchange)
            endIfComplete(exchange)
            proceed()
        }
    }

    private func give(_ answer: InjectedAnswer, to exchange: RelayedExchange) {
        let own = ProxyResponse(answer)
        let addition = listener.rewriter.addition(to: own.head, of: exchange.request)
        exchange.answer = .complete
        shared.observe(.injected(experiment: answer.experiment), of: exchange.number)
        shared.observe(
            .responseHead(WireResponse(own.head), corsAddedFor: addition?.origin),
            of: exchange.number
        )
        if !own.body.isEmpty {
            let part = Array(own.body.prefix(TrafficInput.bodyLimit))
            shared.observe(.responseBody(part), of: exchange.number)
        }
        shared.observe(.responseEnd(bytes: own.body.count), of: exchange.number)
        let rewritten = listener.rewriter.response(own.head, to: exchange.request)
        let head = addition?.adding(to: rewritten) ?? rewritten
        let body = addition?.replacesAnswer == true ? [] : own.body
        deliver(ProxyResponse(head, body).bytes(to: exchange.request), of: exchange)
        context?.flush()
    }
}

extension RequestMessage {
    /// Checks that the request has one host, which is one (RFC 9112 section 3.2).
    fileprivate func checkHost() throws(MessageViolation) {
        let hosts = fields.filter { $0.key == "host" }
        guard hosts.count == 1 || hosts.isEmpty && minorVersion == 0 else { throw .host }
        let areHosts = hosts.allSatisfy { host in
            !host.value.isEmpty
                && host.value.utf8.allSatisfy { byte in
                    (0x21...0x7E).contains(byte) && !"/\\@?#\"<>,".utf8.contains(byte)
                }
        }
        guard areHosts else { throw .host }
    }
}
