import FoundationEssentials
import Model
import NIOCore
import NIOHPACK
import Observer
import Platform
import Profiles

/// The answers of the backend, and their way to the app.
extension AppChannel {
    /// Relays what has come from the backend, and reads on while the app takes it.
    func upstreamRead() {
        relayFromUpstream()
        guard !isOver, let context else { return }
        upstream?.releaseRead()
        context.flush()
        if context.channel.isWritable, exchange?.isDelayed != true { upstream?.read() }
        if exchange == nil, tunnel == nil { proceed() }
    }

    /// Relays everything that has been read.
    func relayFromUpstream() {
        while !isOver, let upstream, upstream.hasUnread {
            if tunnel != nil {
                relayTunnelOutput(from: upstream)
                return
            }
            do throws(MessageViolation) {
                guard let exchange else { throw .unsolicited }
                guard !exchange.isDelayed, !delay(exchange) else { return }
                guard try relayAnswer(to: exchange, from: upstream) else { return }
            } catch {
                refuseAnswer(error)
                return
            }
        }
    }

    /// - Returns: Whether more of what was read can be relayed at once.
    private func relayAnswer(
        to exchange: RelayedExchange,
        from upstream: UpstreamChannel
    ) throws(MessageViolation) -> Bool {
        switch exchange.answer {
        case .awaited(_, let hasInterim) where upstream.stream != nil:
            guard let block = upstream.stream?.takeHead() else { return false }
            exchange.answer = .awaited(HeadScanner(), hasInterim: hasInterim)
            try relay(ResponseMessage(block), to: exchange)
        case .awaited(var scanner, let hasInterim):
            let input = upstream.unread
            let length = try scanner.end(in: input.readableBytesUInt8Span)
            exchange.answer = .awaited(scanner, hasInterim: hasInterim)
            guard let length, let head = upstream.unread.readSlice(length: length) else {
                return false
            }
            try relay(HeadParser.response(head.readableBytesUInt8Span), to: exchange)
        case .body(var scanner, let use):
            let slice = try scan(&scanner, use, to: exchange, from: upstream)
            // The end of a stream goes with its last bytes.
            if upstream.stream?.isInputEnded == true, !upstream.hasUnread { scanner.end() }
            exchange.answer = .body(scanner, use)
            switch use {
            case .relayed, .dropped:
                var passed = slice
                if case .dropped = use { passed.clear() }
                if scanner.isComplete {
                    complete(exchange, bytes: scanner.bytes, with: passed)
                } else {
                    write(passed)
                }
            case .held(let held):
                held.raw.writeImmutableBuffer(slice)
                releaseIfDue(held, scanner, of: exchange)
            case .lost: if scanner.isComplete { lose(exchange, bytes: scanner.bytes) }
            }
        case .delayed: return false
        case .examined(let examined):
            return try examine(examined, of: exchange)
        case .complete, .lost:
            throw .unsolicited
        }
        return true
    }

    /// Takes what belongs to the body, and shows it to the observer.
    private func scan(
        _ scanner: inout BodyScanner,
        _ use: RelayedExchange.BodyUse,
        to exchange: RelayedExchange,
        from upstream: UpstreamChannel
    ) throws(MessageViolation) -> ByteBuffer {
        let input = upstream.unread
        let bytes = input.readableBytesUInt8Span
        var held: HeldAnswer?
        if case .held(let answer) = use { held = answer }
        var copy: [UInt8] = []
        let count = try scanner.scan(bytes) { range in
            let payload = bytes.extracting(range)
            exchange.answerTap.copy(payload, to: &copy)
            if let held {
                payload.withUnsafeBufferPointer { held.body.append(contentsOf: $0) }
            }
        }
        if !copy.isEmpty, held?.isForExperiment != true {
            shared.observe(.responseBody(copy), of: exchange.number)
        }
        return upstream.unread.readSlice(length: count) ?? ByteBuffer()
    }

    /// Relays the head of an answer, unless it is held because the request may be sent once more.
    func relay(
        _ response: ResponseMessage,
        to exchange: RelayedExchange
    ) throws(MessageViolation) {
        if response.status == 101, !exchange.asksForSocket { throw .upgrade }
        guard try !hold(response, to: exchange) else { return }
        try relayHead(response, to: exchange)
    }

    /// Relays the head of an answer that the app gets.
    func relayHead(
        _ response: ResponseMessage,
        to exchange: RelayedExchange
    ) throws(MessageViolation) {
        let framing = try framing(of: response, to: exchange)
        exchange.isLast = response.endsConnection && framing != .untilClose
        let addition = listener.rewriter.addition(to: response, of: exchange.request)
        shared.observe(
            .responseHead(
                WireResponse(response, isHTTP2: stream != nil),
                corsAddedFor: addition?.origin
            ),
            of: exchange.number
        )
        exchange.answerTap = BodyTap(response.fields)
        var rewritten = listener.rewriter.response(response, to: exchange.request)
        if let addition { rewritten = addition.adding(to: rewritten) }
        if case .shiftDate(let seconds)? = exchange.change?.1 {
            rewritten.shiftDate(by: seconds)
        }
        if exchange.losesAnswer, response.status >= 200 {
            exchange.answer = .body(BodyScanner(framing), .lost)
            if framing == .none { lose(exchange, bytes: 0) }
            return
        }
        if response.isInterim {
            exchange.answer = .awaited(HeadScanner(), hasInterim: true)
            write(rewritten)
            return
        }
        if response.status == 101 {
            write(rewritten)
            let extensions = response.fields.filter { $0.key == "sec-websocket-extensions" }
            openTunnel(for: exchange, extensions: extensions.map(\.value))
            return
        }
        guard framing != .none else {
            write(rewritten)
            complete(exchange, bytes: 0, with: ByteBuffer())
            return
        }
        if !listener.rewriter.isTransparent,
            URLBinding.isMetadata(response, of: exchange.request)
        {
            shared.recordUnreadable(.bound)
        }
        let isMetadata = listener.rewriter.rewritesBody(of: exchange.request)
        if isMetadata || exchange.change?.1 == .rewrite, DiscoveryDocument.isRewritten(response) {
            let held = HeldAnswer(head: rewritten, isForExperiment: !isMetadata)
            exchange.answer = .body(BodyScanner(framing), .held(held))
            return
        }
        let isDropped = addition?.replacesAnswer ?? false
        exchange.answer = .body(BodyScanner(framing), isDropped ? .dropped : .relayed)
        write(rewritten)
    }

    func framing(
        of response: ResponseMessage,
        to exchange: RelayedExchange
    ) throws(MessageViolation) -> BodyFraming {
        guard let upstream, let codec = upstream.stream else {
            return try BodyFraming(of: response, to: exchange.request)
        }
        if case .length(let length)? = try? BodyFraming(of: response, to: exchange.request) {
            exchange.statedLength = length
        }
        return codec.isInputEnded && !upstream.hasUnread ? .none : .untilClose
    }

    /// Writes an answer that was held if it is complete, or too long to be rewritten.
    private func releaseIfDue(
        _ held: HeldAnswer,
        _ scanner: BodyScanner,
        of exchange: RelayedExchange
    ) {
        if scanner.isComplete {
            complete(exchange, bytes: scanner.bytes, with: writeHead(held, of: exchange))
        } else if held.raw.readableBytes > DiscoveryDocument.maximum {
            exchange.answer = .body(scanner, .relayed)
            showBody(held, held.body, of: exchange)
            write(held.head)
            write(held.raw)
        }
    }

    /// Writes the head of an answer that is complete, and returns its body with other addresses, or as
    /// an experiment has it, or as it came if nothing changes.
    func writeHead(_ held: HeldAnswer, of exchange: RelayedExchange) -> ByteBuffer {
        if !held.isForExperiment,
            listener.rewriter.namesOtherIssuer(held.body, to: exchange.request)
        {
            shared.doubtIssuer()
        }
        let body =
            held.isForExperiment
            ? rewrittenForExperiment(held.body, of: exchange)
            : listener.rewriter.discovery(held.body, to: exchange.request)
        showBody(held, body, of: exchange)
        var head = held.head
        if body == held.body {
            write(head)
            return held.raw
        }
        head.fields.removeAll { ["content-length", "transfer-encoding"].contains($0.key) }
        head.fields.append(HeadField("Content-Length", String(body.count)))
        write(head)
        return ByteBuffer(bytes: body)
    }

    func write(_ head: ResponseMessage) {
        if let stream { stream.codec.write(head.block) } else { write(head.bytes) }
    }

    func write(_ bytes: ByteBuffer) {
        guard let context, bytes.readableBytes > 0 else { return }
        context.write(wrapOutboundOut(bytes), promise: nil)
    }

    /// Writes the last bytes of an answer.
    func complete(_ exchange: RelayedExchange, bytes: Int, with last: ByteBuffer) {
        exchange.answer = .complete
        if let trailers = upstream?.stream?.trailers {
            let fields = trailers.map { WireHeader($0.name, $0.value) }
            shared.observe(.responseTrailers(fields), of: exchange.number)
        }
        shared.observe(.responseEnd(bytes: bytes), of: exchange.number)
        deliver(last, of: exchange)
        endIfComplete(exchange)
    }

    /// Writes the last bytes of an answer, after which the app has all of it.
    func deliver(_ last: ByteBuffer, of exchange: RelayedExchange) {
        guard let context else { return }
        let (shared, number, isLast) = (shared, exchange.number, exchange.isLast)
        let delivered = context.eventLoop.makePromise(of: Void.self)
        delivered.futureResult.assumeIsolated().whenComplete { [self] result in
            var isWritten = false
            if case .success = result { isWritten = true }
            // Bytes that are written to a connection that the app has closed are lost.
            shared.observe(.delivered(whole: isWritten && !isInputOver), of: number)
            if let stream {
                stream.connection.recordDelivery(of: number)
            } else {
                lastDelivery = Delivery(exchange: number, at: .now(), isLast: isLast)
            }
        }
        if let stream {
            write(last)
            stream.codec.end(upstream?.stream?.trailers, promise: delivered)
        } else {
            context.write(wrapOutboundOut(last), promise: delivered)
        }
    }

    /// Ends the connection for an answer that is not passed on.
    func refuseAnswer(_ violation: MessageViolation) {
        let message = "the backend's answer is not valid HTTP: \(violation.description)"
        guard let exchange else { return reset() }
        fail(exchange, .unanswered(message: message))
        if exchange.isAnswerBegun || exchange.isAnswerComplete {
            reset()
        } else {
            answer(ProxyResponse(status: 502, message: message), to: exchange.request)
        }
    }
}

extension ResponseMessage {
    /// Shifts what it says of the time.
    fileprivate mutating func shiftDate(by seconds: Int) {
        for index in fields.indices where fields[index].key == "date" {
            guard let date = HTTPDate.parse(fields[index].value) else { continue }
            fields[index].value = HTTPDate.format(date.addingTimeInterval(Double(seconds)))
        }
    }

    var bytes: ByteBuffer {
        var buffer = ByteBuffer()
        buffer.reserveCapacity(1024)
        write(into: &buffer)
        return buffer
    }
}
