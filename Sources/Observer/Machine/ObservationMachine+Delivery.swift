import Basics
import Model
import Profiles

/// The answers that reached the app, and those that did not.
extension ObservationMachine {
    mutating func deliver(_ number: Int, _ isWhole: Bool, at moment: Moment) {
        guard let exchange = traffic.exchange(number) else { return }
        guard exchange.deliveredAt == nil else {
            if !isWhole { change(number) { $0.isDeliveryDoubted = true } }
            return
        }
        guard isWhole else {
            change(number) { if $0.lostAt == nil { $0.lostAt = moment } }
            return
        }
        guard exchange.lostAt == nil else { return }
        change(number) { $0.deliveredAt = moment }
        if exchange.answer?.hidden != nil, readsEveryField(exchange.client) {
            change(number) { $0.answer?.hidden = [] }
        }
        recordDelivery(of: traffic.exchange(number) ?? exchange, at: moment)
    }

    /// The exchanges among which one is looked for that shows what a client can read.
    private static let readingDepth = 256

    /// Whether a client has presented what a page could not have read.
    private func readsEveryField(_ client: ObservedClient) -> Bool {
        traffic.newest(Self.readingDepth) {
            $0.client == client && $0.answer?.hidden?.isEmpty == true
        } != nil
    }

    /// Takes in that a client has the pair that an exchange brought, if it brought one.
    mutating func recordDelivery(of exchange: ObservedExchange, at moment: Moment) {
        let number = exchange.number
        guard let family = exchange.family, let issued = exchange.issuedGeneration else { return }
        let delivery = TokenGeneration.Delivery(
            client: exchange.client,
            connection: exchange.request.connection,
            at: moment.now
        )
        let hidden = exchange.answer?.hidden ?? []
        traffic.graph.change(family) { family in
            guard
                let generation = family.generations.last(where: { $0.exchange == number })
                    ?? family.generations.last(where: { $0.number == issued }),
                // What a page cannot read has not reached it, unless it presents it.
                generation.access.map({ hidden.contains($0.fingerprint) }) != true
            else { return }
            family.change(generation: generation.number, branch: generation.branch) {
                $0.add(delivery)
            }
        }
    }

    /// Records that a client that presents a token has received it, also over a connection whose
    /// own half the app had ended.
    mutating func recordArrival(of token: Fingerprint, at moment: Moment) {
        guard let generation = traffic.graph.generation(of: token), generation.kind != .joined,
            generation.access?.fingerprint == token
                || generation.pair.rotated && generation.refresh == token,
            let source = traffic.exchange(generation.exchange)
        else { return }
        if source.isDeliveryDoubted { change(source.number) { $0.isDeliveryDoubted = false } }
        guard generation.deliveries.isEmpty else { return }
        guard source.isAnswerLost else {
            guard source.answer?.hidden != nil, let delivery = source.deliveredAt else { return }
            change(source.number) { $0.answer?.hidden = [] }
            if let read = traffic.exchange(source.number) {
                recordDelivery(of: read, at: delivery)
            }
            return
        }
        change(source.number) { $0.lostAt = nil }
        deliver(source.number, true, at: moment)
    }

    mutating func fail(_ number: Int, _ failure: ExchangeFailure, at moment: Moment) {
        guard let exchange = traffic.exchange(number) else { return }
        change(number) {
            if $0.lostAt == nil { $0.lostAt = moment }
            $0.failure = failure
        }
        guard !exchange.isOver else { return }
        change(number) {
            $0.endedAt = moment
            if case .notSent = failure { $0.outcome = .notSent } else { $0.outcome = .unanswered }
        }
        guard let failed = traffic.exchange(number) else { return }
        if failed.purpose == .refresh { recordFailure(of: failed, at: moment) }
        log(failed, at: moment)
        guard failed.purpose == .socket else { return }
        let why = FeedCause.unreachable(detail: Self.detail(of: failure))
        emit(FeedFailed(socket: number, why: why), of: failed.family, at: moment)
    }

    static func detail(of failure: ExchangeFailure) -> String {
        switch failure {
        case .notSent(let message), .unanswered(let message): message.inOneLine(limit: 200)
        case .abandoned: "the app closed its connection"
        }
    }

    // MARK: - Sockets

    mutating func openSocket(_ number: Int, at moment: Moment) {
        guard let exchange = traffic.exchange(number), exchange.purpose != .other else { return }
        change(number) { $0.openedAt = moment }
        let generation = exchange.generation ?? 0
        let after = moment.now - exchange.startedAt.now
        let state = FeedState.open(socket: number, generation: generation, since: moment.now)
        emit(
            FeedOpened(socket: number, generation: generation, after: after),
            FeedStateChanged(state),
            of: exchange.family,
            at: moment
        )
    }

    mutating func take(_ message: SocketMessageFacts, of number: Int, at moment: Moment) {
        change(number) { $0.add(ObservedExchange.Message(facts: message, at: moment)) }
        guard let exchange = traffic.exchange(number), exchange.purpose != .other else { return }
        // A token in a message takes the place of the one that opened the socket.
        let presented = message.occurrences.first { occurrence in
            traffic.graph.node(occurrence.fingerprint).map { $0.role != .refresh } ?? false
        }
        if message.from == .app, let presented,
            let node = traffic.graph.node(presented.fingerprint)
        {
            change(number) {
                $0.access = presented
                $0.family = node.family
                $0.generation = node.generation
            }
            move(exchange, to: node, at: moment)
        }
        if let family = exchange.family {
            traffic.graph.change(family) { $0.lastUsedAt = moment }
        }
        guard message.from == .backend else { return }
        if message.refusesToken == true { traffic.recordRefusedUse(exchange) }
        let event = FeedMessageReceived(
            socket: number,
            id: nil,
            seq: message.number,
            type: message.type,
            excerpt: "",
            isDuplicate: false
        )
        emit(event, of: exchange.family, at: moment)
    }

    /// Says that an open socket belongs to another session, or to another pair of its own.
    private mutating func move(
        _ socket: ObservedExchange,
        to node: TokenNode,
        at moment: Moment
    ) {
        guard let openedAt = socket.openedAt, socket.closedAt == nil,
            socket.family != node.family || socket.generation != node.generation
        else { return }
        let (number, generation) = (socket.number, node.generation)
        if socket.family != node.family {
            emit(FeedStateChanged(.idle), of: socket.family, at: moment)
            let after = openedAt.now - socket.startedAt.now
            emit(
                FeedOpened(socket: number, generation: generation, after: after),
                of: node.family,
                at: moment
            )
        }
        let state = FeedState.open(socket: number, generation: generation, since: openedAt.now)
        emit(FeedStateChanged(state), of: node.family, at: moment)
    }

    /// The time within which a backend closes a socket because of the token that it was given, in
    /// seconds.
    static let refusalTime = 5.0

    mutating func closeSocket(_ number: Int, _ end: SocketEnd, at moment: Moment) {
        guard let exchange = traffic.exchange(number) else { return }
        change(number) { $0.closedAt = moment }
        guard exchange.purpose != .other else { return }
        if end.by == .backend, let code = end.code,
            end.refusesToken == true || FeedPolicy.verdict(code: code) == .tokenRejected,
            moment.now.seconds(since: exchange.startedAt.now) <= Self.refusalTime
        {
            traffic.recordRefusedUse(exchange)
        }
        let closer: FeedCloser =
            switch end.by {
            case .app: .us
            case .backend, .proxy: end.code == nil ? .transport : .peer
            }
        emit(
            FeedClosed(socket: number, code: end.code ?? 1006, by: closer, reason: ""),
            FeedStateChanged(.idle),
            of: exchange.family,
            at: moment
        )
    }
}
