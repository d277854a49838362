import NIOCore
import NIOHPACK
import Observer
import Profiles

/// The answers that refuse a session's token by what follows their heads.
extension AppChannel {
    /// Leaves the body of an answer unread until it tells, for a limited time.
    func beginToExamine(
        _ examined: ExaminedAnswer,
        of exchange: RelayedExchange
    ) throws(MessageViolation) {
        exchange.answer = .examined(examined)
        // A body that is empty, or has come with its head, takes no time.
        guard try !examine(examined, of: exchange), exchange.isExamined else { return }
        shared.loop.assumeIsolated().scheduleTask(in: ExaminedAnswer.timeLimit) { [self] in
            guard !isOver, self.exchange === exchange, exchange.isExamined else { return }
            passExamined(examined, of: exchange)
            upstreamRead()
        }
    }

    /// Decides on an answer of which some has come, or all.
    ///
    /// - Returns: Whether it is relayed from now on.
    func examine(
        _ examined: ExaminedAnswer,
        of exchange: RelayedExchange,
        isOver: Bool = false
    ) throws(MessageViolation) -> Bool {
        guard let serving = shared.serving, let fields = exchange.served?.fields, let upstream
        else { return false }
        let input = upstream.unread
        let isOver = isOver || upstream.stream?.isInputEnded == true
        var isRefusal = false
        switch examined.read(input.readableBytesUInt8Span, isOver: isOver) {
        case .unfinished: return false
        case .unreadable: break
        case .whole(let body):
            var response = WireResponse(examined.head, isHTTP2: stream != nil)
            response.body = body
            let trailers = upstream.stream?.trailers
            response.headers += trailers?.map { WireHeader($0.name, $0.value) } ?? []
            var request = exchange.request
            request.carry(fields)
            isRefusal = serving.session.isRefusal(
                response,
                to: WireRequest(request, to: listener.name)
            )
        }
        guard !holds(examined.head, isRefusal: isRefusal, of: exchange, serving) else {
            return false
        }
        exchange.answer = .awaited(HeadScanner(), hasInterim: false)
        try relayHead(examined.head, to: exchange)
        return true
    }

    /// Decides on an answer whose connection has ended.
    func endExamination(_ end: UpstreamChannel.End) {
        guard let exchange, case .examined(let examined) = exchange.answer else { return }
        guard case .finished = end else { return passExamined(examined, of: exchange) }
        do throws(MessageViolation) {
            guard try examine(examined, of: exchange, isOver: true) else { return }
        } catch {
            return refuseAnswer(error)
        }
        relayFromUpstream()
    }

    /// Relays an answer whose body does not tell in time.
    private func passExamined(_ examined: ExaminedAnswer, of exchange: RelayedExchange) {
        guard let serving = shared.serving else { return }
        _ = holds(examined.head, isRefusal: false, of: exchange, serving)
        exchange.answer = .awaited(HeadScanner(), hasInterim: false)
        do throws(MessageViolation) {
            try relayHead(examined.head, to: exchange)
        } catch {
            return refuseAnswer(error)
        }
        relayFromUpstream()
    }
}

extension RelayedExchange {
    fileprivate var isExamined: Bool {
        if case .examined = answer { true } else { false }
    }
}
