import NIOCore
import Observer
import Platform
import Profiles

/// The experiments on an exchange: an answer in place of the backend's, one that comes late or not at
/// all, or one with another body.
extension AppChannel {
    /// Answers in place of the backend, at once or after the time that the answer takes.
    func inject(_ answer: InjectedAnswer, into exchange: RelayedExchange) {
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
            .responseHead(
                WireResponse(own.head, isHTTP2: stream != nil),
                corsAddedFor: addition?.origin
            ),
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
        write(head)
        deliver(exchange.request.isHead ? ByteBuffer() : ByteBuffer(bytes: body), of: exchange)
        context?.flush()
    }

    /// Begins to hold an answer that is to come late.
    ///
    /// - Returns: Whether it is held.
    func delay(_ exchange: RelayedExchange) -> Bool {
        guard case .delay(let seconds)? = exchange.change?.1, exchange.isUntouched else {
            return false
        }
        exchange.change = nil
        exchange.answer = .delayed(end: nil)
        shared.loop.assumeIsolated().scheduleTask(in: .milliseconds(Int64(seconds * 1_000))) {
            [self] in
            guard !isOver, self.exchange === exchange, case .delayed(let end) = exchange.answer
            else { return }
            exchange.answer = .awaited(HeadScanner(), hasInterim: false)
            upstreamRead()
            if let end { upstreamEnded(end) }
        }
        return true
    }

    /// Ends an exchange whose answer the backend has given, without passing it on.
    func lose(_ exchange: RelayedExchange, bytes: Int) {
        guard case .lose(let hangs)? = exchange.change?.1 else { return }
        exchange.answer = .lost
        shared.observe(.responseEnd(bytes: bytes), of: exchange.number)
        leaveUpstream(isReset: false)
        if hangs {
            context?.read()
        } else {
            recordLoss(of: exchange)
            reset()
        }
    }

    /// The app has given up an answer that was lost, or has no way to get it any more.
    func recordLoss(of exchange: RelayedExchange) {
        shared.observe(.delivered(whole: false), of: exchange.number)
        self.exchange = nil
    }

    func rewrittenForExperiment(_ body: [UInt8], of exchange: RelayedExchange) -> [UInt8] {
        guard let other = shared.rewriting(body, of: exchange.number),
            let experiment = exchange.change?.experiment
        else { return body }
        shared.observe(.injected(experiment: experiment), of: exchange.number)
        return other
    }

    /// Shows a body that was held for an experiment as the app gets it.
    func showBody(
        _ held: HeldAnswer,
        _ body: [UInt8],
        of exchange: RelayedExchange
    ) {
        guard held.isForExperiment, !body.isEmpty else { return }
        let part = Array(body.prefix(TrafficInput.bodyLimit))
        shared.observe(.responseBody(part), of: exchange.number)
    }
}

extension RelayedExchange {
    var losesAnswer: Bool {
        if case .lose? = change?.1 { true } else { false }
    }
}
