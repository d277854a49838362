import Basics
import Model
import NIOCore
import Observer
import Platform
import Profiles

/// The requests of the app, one at a time, and their way to the backend.
extension AppChannel {
    /// Begins an exchange if the head of a request is complete.
    func beginExchange() -> Bool {
        if stream == nil, case .none = route, let first = unread.readableBytesView.first,
            let other = OtherProtocol(firstByte: first)
        {
            refuse(other)
            return false
        }
        do throws(MessageViolation) {
            guard var request = try nextRequest() else { return false }
            try request.checkHost()
            guard try choose(for: &request) else { return false }
            let local = context?.channel.localAddress
            let refusal = shared.hosts.refusal(
                of: request,
                at: local?.ipAddress,
                port: local?.port ?? 0
            )
            if !listener.rewriter.isTransparent, let refusal {
                shared.recordRefusal(refusal)
                answer(refusal.answer, to: request)
                return false
            }
            guard !refusePage(request) else { return false }
            guard let target = listener.rewriter.localTarget(of: request) else { throw .target }
            request.target = target
            begin(request, try framing(of: request))
            return true
        } catch {
            shared.recordUnreadable(.malformed)
            refuse(error)
            return false
        }
    }

    /// Chooses the stand-in for the server that a request to a forward proxy names.
    ///
    /// The request goes on as one to that server, whatever its `Host` says (RFC 9112 section 3.2.2).
    ///
    /// - Returns: Whether the request may go there; else it is answered.
    private func choose(for request: inout RequestMessage) throws(MessageViolation) -> Bool {
        guard let forwarding else { return true }
        guard let target = ForwardTarget(url: request.target),
            let next = try? forwarding.listener(for: target, isSecure: false)
        else { throw .target }
        if let objection = forwarding.objection(to: target) {
            refuse(objection, of: target.authority, to: request)
            return false
        }
        request.target = target.target(of: request.method)
        for index in request.fields.indices where request.fields[index].key == "host" {
            let host = request.fields[index].value
            guard host.asciiLowercased != target.written.asciiLowercased else { continue }
            request.fields[index].value = target.written
        }
        guard next.name != listener.name else { return true }
        leaveUpstream(isReset: false)
        route = .none
        listener = next
        return true
    }

    /// Refuses what a forward proxy does not pass on.
    func refuse(_ objection: ForwardObjection, of server: String, to request: RequestMessage) {
        if objection != .itself { shared.recordUnreadable(.refusedTunnels) }
        answer(objection.answer(of: server), to: request)
    }

    /// Returns the next request as the app sent it, if its head is complete.
    private func nextRequest() throws(MessageViolation) -> RequestMessage? {
        if let stream {
            guard let block = stream.codec.takeHead() else { return nil }
            return try RequestMessage(block)
        }
        let input = unread
        guard let length = try scanner.end(in: input.readableBytesUInt8Span) else { return nil }
        if forwarding == nil, case .none = route,
            unread.readableBytesView.starts(with: OtherProtocol.preface)
        {
            becomeHTTP2()
            return nil
        }
        guard let head = unread.readSlice(length: length) else { return nil }
        scanner = HeadScanner()
        return try HeadParser.request(head.readableBytesUInt8Span)
    }

    private func framing(of request: RequestMessage) throws(MessageViolation) -> BodyFraming {
        guard let stream else { return try BodyFraming(of: request) }
        return stream.codec.isInputEnded && unread.readableBytes == 0 ? .none : .untilClose
    }

    private func begin(_ request: RequestMessage, _ framing: BodyFraming) {
        if !listener.rewriter.isTransparent, URLBinding.isProved(by: request) {
            shared.recordUnreadable(.bound)
        }
        if !DiscoveryDocument.isAsked(for: request) { shared.acceptIssuer() }
        let (exchangeNumber, decision) =
            listener.isObserved
            ? shared.begin(
                WireRequest(request, to: listener.name),
                connection: number,
                peer: peer
            )
            : (RelayContext.unobserved, .pass)
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

    func forward(_ exchange: RelayedExchange) {
        guard !serve(exchange) else { return }
        switch route {
        case .none:
            exchange.isFirst = stream?.connection.isUnused ?? true
            connect()
        case .open(let upstream): send(exchange, to: upstream)
        case .connecting, .over:
            fail(exchange, .notSent(message: "the backend had closed the connection"))
            reset()
        }
    }

    func send(_ exchange: RelayedExchange, to upstream: UpstreamChannel) {
        var request = listener.rewriter.request(
            exchange.request,
            from: peer,
            isChanged: exchange.change?.1 == .rewrite
        )
        if let fields = exchange.served?.fields { request.carry(fields) }
        upstream.write(request, exchange.heldBody, isSecure: listener.origin.isSecure)
        exchange.heldBody = ByteBuffer()
        if exchange.isRequestComplete { endRequest(to: upstream) }
    }

    /// Tells the backend of the request's end, where its framing does not.
    private func endRequest(to upstream: UpstreamChannel) {
        guard let codec = stream?.codec else { return }
        upstream.end(codec.trailers)
    }

    /// Relays what there is of a request's body.
    func relayBody(of exchange: RelayedExchange) {
        guard !exchange.isWaiting else { return }
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
        if stream?.codec.isInputEnded == true, unread.readableBytes == 0 {
            exchange.requestBody.end()
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
        } else if case .relayed = state, let upstream {
            endRequest(to: upstream)
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
        case .relayed:
            exchange.served?.keep(part)
            upstream?.write(part)
        case .waiting, .dropped, .complete: break
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

    /// Refuses a connection of another protocol than HTTP.
    private func refuse(_ other: OtherProtocol) {
        shared.recordUnreadable(other.subject)
        answer(other.answer, to: nil)
    }

    /// Refuses what is not a request.
    private func refuse(_ violation: MessageViolation) {
        let message = "refused \(violation.description) of the request"
        answer(ProxyResponse(status: violation.status, message: message), to: nil)
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
