import Basics
import NIOCore
import Observer
import Profiles

/// The requests of apps that are sent with a session's token.
extension AppChannel {
    /// Begins to look for the user of the app, where that matters.
    func identifyUser(_ context: ChannelHandlerContext) {
        guard let serving = shared.serving else { return }
        guard !shared.isLocalSocket else {
            peerUser = shared.loop.makeSucceededFuture(.user(serving.rules.user))
            return
        }
        guard let remote = context.remoteAddress, let host = remote.ipAddress,
            let port = remote.port, let own = context.localAddress,
            let ownHost = own.ipAddress, let ownPort = own.port
        else { return }
        peerUser = serving.users.user(from: (host, port), to: (ownHost, ownPort), on: shared.loop)
    }

    /// Refuses a request that a page in a browser could have sent.
    ///
    /// - Returns: Whether it is refused.
    func refusePage(_ request: RequestMessage) -> Bool {
        guard let serving = shared.serving, let refusal = serving.rules.refusal(of: request) else {
            return false
        }
        serving.session.notify(.refused(refusal))
        answer(ProxyResponse(status: 403, message: refusal), to: request)
        return true
    }

    /// Leaves the body of a request with the app until there is a token for it.
    ///
    /// - Returns: Whether it waits.
    func serve(_ exchange: RelayedExchange) -> Bool {
        guard let serving = shared.serving, exchange.served == nil else { return false }
        exchange.served = ServedRequest()
        exchange.requestState = .waiting
        let user = peerUser ?? shared.loop.makeSucceededFuture(.unknown)
        user.assumeIsolated().whenSuccess { [self] user in
            guard !isOver, self.exchange === exchange else { return }
            if let refusal = serving.rules.refusal(of: user) {
                serving.session.notify(.refused(refusal))
                withhold(exchange, status: 403, message: refusal)
            } else {
                ask(serving, for: exchange, after: nil)
            }
        }
        return true
    }

    private func ask(
        _ serving: Serving,
        for exchange: RelayedExchange,
        after refused: AnsweredFields?
    ) {
        let request = WireRequest(exchange.request, to: listener.name)
        let decision = shared.loop.makePromise(of: ServingDecision.self)
        serving.questions.ask {
            decision.succeed(await serving.session.fields(for: request, after: refused))
        }
        decision.futureResult.assumeIsolated().whenSuccess { [self] decision in
            guard !isOver, self.exchange === exchange else { return }
            decided(decision, serving, on: exchange)
        }
    }

    private func decided(
        _ decision: ServingDecision,
        _ serving: Serving,
        on exchange: RelayedExchange
    ) {
        let step =
            switch decision {
            case .send(let fields, let number):
                exchange.served?.receive(fields, repeating: number, at: shared.moment)
            case .withhold: exchange.served?.receiveNothing()
            }
        switch step {
        case .send:
            if let fields = exchange.served?.fields, let name = exchange.request.ownName(of: fields)
            {
                serving.session.notify(.replaced(name: name))
            }
            exchange.requestState = .relayed
            forward(exchange)
            proceed()
        case .sendAgain(let body):
            exchange.heldBody = body
            exchange.answer = .awaited(HeadScanner(), hasInterim: false)
            serving.session.notify(.repeated)
            sendAgain(exchange)
        case .withhold:
            guard case .withhold(let status, let message) = decision else { return }
            serving.session.notify(.refused(message))
            withhold(exchange, status: status, message: message)
        case .passRefusal(let response, let isTooLong):
            if isTooLong { serving.session.notify(.notRepeated(exchange.request)) }
            pass(response, to: exchange)
        case .nothing, nil: return
        }
    }

    private func withhold(_ exchange: RelayedExchange, status: Int, message: String) {
        fail(exchange, .notSent(message: message))
        let fields: [HeadField] =
            switch status {
            case 401: [HeadField("WWW-Authenticate", "Bearer")]
            case 503: [HeadField("Retry-After", "1")]
            default: []
            }
        answer(
            ProxyResponse(status: status, message: message, fields: fields),
            to: exchange.request
        )
    }

    /// Sends a request once more, over another connection.
    private func sendAgain(_ exchange: RelayedExchange) {
        leaveUpstream(isReset: false)
        route = .none
        forgetRelayedEnd()
        exchange.isFirst = stream == nil
        connect()
    }

    /// Gives the app the refusal that was held.
    private func pass(_ response: ResponseMessage, to exchange: RelayedExchange) {
        guard case .delayed(let end) = exchange.answer else { return }
        exchange.answer = .awaited(HeadScanner(), hasInterim: false)
        do throws(MessageViolation) {
            try relay(response, to: exchange)
        } catch {
            return refuseAnswer(error)
        }
        upstreamRead()
        if let end { upstreamEnded(end) }
    }

    /// Holds the head of an answer that refuses the token, if the request can be sent once more, and of
    /// one that may refuse it by what follows.
    ///
    /// - Returns: Whether that was done; otherwise the app gets it now.
    func hold(
        _ response: ResponseMessage,
        to exchange: RelayedExchange
    ) throws(MessageViolation) -> Bool {
        guard let serving = shared.serving, let fields = exchange.served?.fields,
            !response.isInterim
        else { return false }
        let head = WireResponse(response, isHTTP2: stream != nil)
        if let isRefusal = serving.session.isRefusal(byHeadOf: head, of: fields) {
            return holds(response, isRefusal: isRefusal, of: exchange, serving)
        }
        guard exchange.served?.mayHold == true,
            let examined = ExaminedAnswer(
                response,
                try framing(of: response, to: exchange),
                to: exchange.request
            )
        else { return holds(response, isRefusal: false, of: exchange, serving) }
        try beginToExamine(examined, of: exchange)
        return true
    }

    /// Holds an answer that refuses the token, if the request can be sent once more.
    ///
    /// - Returns: Whether it is held; otherwise the app gets it.
    func holds(
        _ response: ResponseMessage,
        isRefusal: Bool,
        of exchange: RelayedExchange,
        _ serving: Serving
    ) -> Bool {
        guard let fields = exchange.served?.fields else { return false }
        let answer = AnsweredFields(
            fields: fields,
            response: WireResponse(response, isHTTP2: stream != nil),
            sentAt: exchange.served?.sentAt ?? shared.moment
        )
        if let number = exchange.served?.repeated {
            serving.session.answered(
                WireRequest(exchange.request, to: listener.name),
                answer,
                repeating: number,
                isRefused: isRefusal
            )
        }
        switch exchange.served?.receive(response, isRefusal: isRefusal) ?? .pass {
        case .pass:
            serving.session.notify(.served)
            return false
        case .hold:
            exchange.answer = .delayed(end: nil)
            ask(serving, for: exchange, after: answer)
            return true
        case .passTooLong:
            serving.session.notify(.notRepeated(exchange.request))
            // The next request finds another token.
            let request = WireRequest(exchange.request, to: listener.name)
            serving.questions.ask {
                _ = await serving.session.fields(for: request, after: answer)
            }
            serving.session.notify(.served)
            return false
        }
    }
}

extension ServingNotice {
    fileprivate static func notRepeated(_ request: RequestMessage) -> ServingNotice {
        .notRepeated(method: request.method, path: String(request.target.part(before: "?")))
    }
}
