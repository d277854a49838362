import Model
import NIOCore
import NIOHTTP2
import Observer
import Platform

/// The ends of connections: as on the other side, or with an answer of the proxy.
extension AppChannel {
    /// The time that an app may go on sending after its connection was ended with an answer.
    private static let lingering = TimeAmount.seconds(2)

    /// The backend will send nothing more.
    func upstreamEnded(_ end: UpstreamChannel.End) {
        guard !isOver, !isLingering else { return }
        if let exchange, exchange.isDelayed {
            exchange.answer = .delayed(end: end)
            return
        }
        if let exchange, exchange.isWaiting {
            // Nothing of the request was sent: it goes over another connection.
            leaveUpstream(isReset: false)
            route = .none
            return
        }
        relayFromUpstream()
        endExamination(end)
        if let exchange, exchange.isDelayed {
            exchange.answer = .delayed(end: end)
            return
        }
        context?.flush()
        guard !isOver, !isLingering, let upstream else { return }
        let wasTunnel = tunnel != nil
        if wasTunnel {
            closeTunnel(endedBy: .backend)
        } else if let exchange, !exchange.isAnswerComplete {
            guard case .finished = end, exchange.endsWithConnection else {
                answerEnded(end, of: exchange, on: upstream)
                return
            }
            completeAtEnd(exchange)
            guard !isOver, !exchange.isLost else { return }
        }
        leaveUpstream(isReset: false)
        switch end {
        case .failed: reset(.internalError)
        // A frame that the app still sends is no request.
        case .finished where exchange != nil || wasTunnel: linger()
        case .finished:
            finishOnceRead()
            // Bytes that the app has sent meanwhile find no backend.
            proceed()
        }
    }

    /// Ends our half of a connection that has carried its last answer, once the app has had the time to
    /// end it itself.
    ///
    /// The end of TLS is a message. An app that closes the connection when it has its answer, and has not
    /// read that message, resets the connection, as one does that has not read its answer.
    private func finishOnceRead() {
        guard security != nil else { return finish() }
        afterWriting { [self] context in
            guard lastDelivery?.isLast == true else { return finish() }
            context.eventLoop.assumeIsolated().scheduleTask(in: shared.farewell) { [self] in
                if !isOver, !isInputOver { finish() }
            }
        }
    }

    /// The answer is as long as the connection.
    private func completeAtEnd(_ exchange: RelayedExchange) {
        guard case .body(let scanner, let use) = exchange.answer else { return }
        switch use {
        case .relayed, .dropped: complete(exchange, bytes: scanner.bytes, with: ByteBuffer())
        case .held(let held):
            complete(exchange, bytes: scanner.bytes, with: writeHead(held, of: exchange))
        case .lost: lose(exchange, bytes: scanner.bytes)
        }
    }

    /// The backend left an answer incomplete, or gave none.
    private func answerEnded(
        _ end: UpstreamChannel.End,
        of exchange: RelayedExchange,
        on upstream: UpstreamChannel
    ) {
        leaveUpstream(isReset: false)
        let stage: ConnectionStage = exchange.isUntouched ? .waiting : .answering
        let error: any Error =
            switch end {
            case .finished: ChannelError.eof
            case .failed(let error): error
            }
        let code = (error as? NIOHTTP2Errors.StreamClosed)?.errorCode
        // The app gets the same end of its stream.
        let mayAnswer = exchange.isFirst && exchange.isUntouched && code == nil
        if let error = error as? HTTP2BackendError {
            return notOpened(error, for: exchange)
        }
        explain(error, at: stage) { [self] failure in
            fail(exchange, .unanswered(message: failure.message))
            if mayAnswer {
                answer(ProxyResponse(status: 502, message: failure.message), to: exchange.request)
                return
            }
            switch end {
            case .finished where stream == nil: linger()
            case .finished, .failed: reset(code ?? .internalError)
            }
        }
    }

    /// Finds words for an error; meanwhile nothing else happens on the connection.
    func explain(
        _ error: any Error,
        at stage: ConnectionStage,
        then: @escaping (OriginFailure) -> Void
    ) {
        let connector = listener.connector
        shared.loop.makeFutureWithTask { await connector.explain(error, at: stage) }
            .assumeIsolated()
            .whenSuccess { [self] failure in
                if failure.wantsCertificate { shared.recordUnreadable(.mutualTLS) }
                if !isOver { then(failure) }
            }
    }

    func fail(_ exchange: RelayedExchange, _ failure: ExchangeFailure) {
        shared.observe(.failed(failure), of: exchange.number)
        if self.exchange === exchange { self.exchange = nil }
    }

    /// The app has ended its connection and waits for an answer no more.
    ///
    /// It may have ended its half alone, and read on: hardly any client of HTTP does, and nothing but
    /// what it sends later tells (RFC 9112 section 9.6). The backend gets the same end.
    func recordLeaving() {
        guard isInputOver, !isOver, let exchange, !exchange.isGivenUp, exchange.isRequestComplete,
            !exchange.isAnswerComplete
        else { return }
        exchange.isGivenUp = true
        shared.observe(.givenUp, of: exchange.number)
    }

    /// The app is gone.
    func abandon(isReset: Bool) {
        if stream != nil, case .none = route, exchange == nil, !isLingering {
            shared.recordUnreadable(.resetStreams)
        }
        phase = .over
        if stream == nil, error != nil, exchange == nil, let last = lastDelivery,
            .now() - last.at <= shared.resetWindow
        {
            shared.observe(.delivered(whole: false), of: last.exchange)
        }
        if tunnel != nil { closeTunnel(endedBy: .app) }
        if let exchange, exchange.isLost { recordLoss(of: exchange) }
        if let exchange, exchange.isAllButEnded, let stream {
            completeForApp(exchange, on: stream)
        } else if let exchange, !exchange.isAnswerComplete {
            fail(exchange, .abandoned)
        }
        exchange = nil
        upstream?.leave(
            isReset: isReset,
            code: (error as? NIOHTTP2Errors.StreamClosed)?.errorCode
        )
        route = .over
    }

    /// Completes an answer whose stream the app has ended once it had as many bytes as the head says.
    private func completeForApp(_ exchange: RelayedExchange, on stream: AppStream) {
        shared.observe(.responseEnd(bytes: exchange.statedLength ?? 0), of: exchange.number)
        shared.observe(.delivered(whole: true), of: exchange.number)
        switch (error as? NIOHTTP2Errors.StreamClosed)?.errorCode {
        case nil where !stream.connection.isReset, .noError?, .streamClosed?: return
        // The bytes were on their way, and the app may have read none.
        default: shared.observe(.delivered(whole: false), of: exchange.number)
        }
    }

    /// Gives an answer of the proxy, and ends the connection.
    func answer(_ answer: ProxyResponse, to request: RequestMessage?) {
        leaveUpstream(isReset: false)
        let answer = readable(answer, to: request)
        if let stream {
            write(answer.head)
            if request?.isHead != true { write(ByteBuffer(bytes: answer.body)) }
            stream.codec.end(nil)
        } else {
            write(answer.bytes(to: request))
        }
        linger()
    }

    /// Returns an answer of the proxy as the page that sent the request gets to read it, if it may.
    private func readable(_ answer: ProxyResponse, to request: RequestMessage?) -> ProxyResponse {
        guard let request, shared.serving?.rules.refusal(of: request) == nil,
            let addition = listener.rewriter.addition(to: answer.head, of: request)
        else { return answer }
        return answer.adding(addition)
    }

    func leaveUpstream(isReset: Bool) {
        upstream?.leave(isReset: isReset)
        route = .over
    }

    /// Sends nothing more, and drops what the app still sends for a while: to close at once would
    /// reset the connection, and the app might not get its answer (RFC 9112 section 9.6).
    func linger() {
        guard let context, !isOver else { return }
        phase = .lingering
        exchange = nil
        tunnel = nil
        unread.clear()
        if let stream {
            context.flush()
            // The rest of the request is not wanted (RFC 9113 section 8.1).
            return stream.codec.resetOnceWritten(.noError)
        }
        context.read()
        afterWriting { context in
            context.close(mode: .output, promise: nil)
            let channel = context.channel
            context.eventLoop.scheduleTask(in: Self.lingering) { channel.close(promise: nil) }
        }
    }

    /// Ends our half of the connection when everything is written.
    func finish() {
        // A stream is over when both of its halves are.
        guard stream == nil else { return context?.flush() ?? () }
        afterWriting { $0.close(mode: .output, promise: nil) }
    }

    /// Resets the app's connection when everything is written, as the backend did with ours; or the
    /// stream with a code.
    func reset(_ code: HTTP2ErrorCode = .internalError) {
        abandon(isReset: false)
        if let stream { return stream.codec.reset(code) }
        afterWriting { OriginConnector.reset($0.channel) }
    }

    private func afterWriting(_ end: @escaping (ChannelHandlerContext) -> Void) {
        guard let context else { return }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer())).assumeIsolated().whenSuccess {
            end(context)
        }
    }
}
