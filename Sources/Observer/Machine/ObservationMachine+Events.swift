import Basics
import Model
import Profiles

/// The events that the panes, the lines of JSON and the log are made of.
extension ObservationMachine {
    mutating func emit(_ kinds: any EventKind..., of family: Int?, at moment: Moment) {
        if let family, !traffic.graph.contains(family) {
            // The requests in progress of a session that was forgotten still end.
            for case let record as Exchange in kinds { emit(record, of: nil, at: moment) }
            return
        }
        let session = begin(family, at: moment)
        for kind in kinds { append(kind, of: family, session, at: moment) }
    }

    private mutating func append(
        _ kind: any EventKind,
        of family: Int?,
        _ session: SessionID,
        at moment: Moment
    ) {
        events.append(
            SessionEvent(
                moment: moment,
                session: session,
                profile: configuration.profile,
                login: family == nil ? 0 : 1,
                generation: family.flatMap { traffic.graph.families[$0]?.newest } ?? 0,
                kind: kind
            )
        )
    }

    /// Announces a session before its first event.
    private mutating func begin(_ family: Int?, at moment: Moment) -> SessionID {
        let session = family.map { SessionID(String($0)) } ?? Self.withoutToken
        guard states[session] == nil else { return session }
        states[session] = .cold
        let capabilities = Capabilities(
            dialect: configuration.dialect ?? "none",
            title: configuration.profile,
            baseURL: family.flatMap { traffic.graph.families[$0]?.origin } ?? configuration.baseURL,
            rotation: .maybe,
            logoutScopes: [],
            hasFeed: true,
            hasProtectedRequest: false,
            vault: "kept by the app",
            requestEvery: nil,
            role: .observed
        )
        append(capabilities, of: family, session, at: moment)
        return session
    }

    /// Says which sessions are no longer followed, and forgets what else was known of them.
    mutating func forgetDropped(at moment: Moment) {
        for family in traffic.graph.takeDropped() {
            statuses[family.id] = nil
            statusBeforeRenewal[family.id] = nil
            joinedPairs.removeAll { $0.family == family.id }
            guard states.removeValue(forKey: family.session) != nil else { continue }
            let forgotten = ForgottenSession(
                limit: TokenGraph.familyLimit,
                lastUsedAt: family.lastUsedAt.now,
                hasEnded: family.end != nil
            )
            append(forgotten, of: family.id, family.session, at: moment)
        }
    }

    // MARK: - Exchanges

    /// Announces the facts that are known as soon as a request has been read.
    mutating func announce(_ exchange: ObservedExchange, at moment: Moment) {
        if let id = exchange.family { recordClient(exchange.client, of: id, at: moment) }
        if exchange.purpose == .refresh, let id = exchange.family {
            emit(
                RefreshStarted(flight: exchange.number, cause: .app),
                of: id,
                at: moment
            )
            traffic.graph.change(id) { $0.recordRefresh(exchange) }
            setStatus(.renewing(exchange: exchange.number), family: id, at: moment)
        }
        if exchange.purpose == .socket {
            let dial = FeedDialing(
                socket: exchange.number,
                generation: exchange.generation ?? 0,
                target: exchange.request.target
            )
            emit(dial, of: exchange.family, at: moment)
        }
    }

    private mutating func recordClient(_ client: ObservedClient, of id: Int, at moment: Moment) {
        guard let family = traffic.graph.families[id], !family.clients.contains(client),
            family.clients.count < ObservedSession.clientLimit
        else { return }
        traffic.graph.change(id) { $0.clients.append(client) }
        emit(client, of: id, at: moment)
    }

    /// Logs an exchange that is over.
    mutating func log(_ exchange: ObservedExchange, at moment: Moment) {
        emit(Exchange(exchange, in: traffic, at: moment), of: exchange.family, at: moment)
        guard exchange.purpose == .socket, let facts = exchange.answer, facts.status != 101 else {
            return
        }
        let refusal = FeedRefused(
            socket: exchange.number,
            status: facts.status,
            evidence: facts.evidence,
            serverWords: facts.serverWords
        )
        emit(refusal, of: exchange.family, at: moment)
    }

    /// Announces a pair.
    mutating func publish(
        _ generation: TokenGeneration,
        of id: Int,
        _ arrival: TokenGraph.Arrival,
        _ confidence: TokenLink.Confidence,
        _ cause: ObservedCause,
        at moment: Moment
    ) {
        let exchange = traffic.exchange(arrival.exchange)
        if arrival.kind != .joined, let exchange { log(exchange, at: moment) }
        recordClient(arrival.client, of: id, at: moment)
        let link = TokenLink(
            kind: arrival.kind,
            exchange: arrival.exchange,
            generation: generation.number,
            branch: generation.branchName,
            parent: generation.parent,
            access: generation.access?.fingerprint,
            refresh: generation.refresh,
            confidence: confidence,
            cause: cause
        )
        if arrival.kind == .refresh, let exchange, let endedAt = exchange.endedAt {
            let before = traffic.graph.families[id]?.generation(generation.number - 1)
            let lead = before?.pair.accessExpiry.map { $0.statedEnd - endedAt.now } ?? .zero
            emit(
                RefreshSucceeded(
                    flight: arrival.exchange,
                    roundTrip: endedAt.now - exchange.startedAt.now,
                    remainingLead: lead,
                    rotated: generation.pair.rotated
                ),
                of: id,
                at: moment
            )
        }
        if let mismatch = generation.pair.accessExpiry?.expiry.mismatch, !mismatch.isEmpty {
            emit(ExpiryMismatch(token: .access, readings: mismatch), of: id, at: moment)
        }
        if let offset = offsets[arrival.origin] { emit(SkewChanged(offset), of: id, at: moment) }
        emit(TokensIssued(generation.pair), link, of: id, at: moment)
        guard generation.number == traffic.graph.families[id]?.newest else { return }
        let until = generation.pair.accessExpiry?.statedEnd
        let isOfUnknownAge = arrival.kind == .joined && until == nil
        setStatus(isOfUnknownAge ? .joined : .live(until: until), family: id, at: moment)
    }

    mutating func recordFailure(of exchange: ObservedExchange, at moment: Moment) {
        guard exchange.family != nil, let failure = RefreshFailure(exchange) else { return }
        emit(
            RefreshFailed(
                flight: exchange.number,
                failure: failure,
                attempt: 1,
                nextAt: nil
            ),
            of: exchange.family,
            at: moment
        )
        restoreStatus(exchange, at: moment)
    }

    /// A renewal that has brought nothing leaves the session where it was.
    private mutating func restoreStatus(_ exchange: ObservedExchange, at moment: Moment) {
        guard let id = exchange.family, statuses[id] == .renewing(exchange: exchange.number),
            let before = statusBeforeRenewal[id]
        else { return }
        if case .live(let until?) = before, until <= moment.now {
            setStatus(.expired, family: id, at: moment)
        } else {
            setStatus(before, family: id, at: moment)
        }
    }

    // MARK: - Status

    mutating func setStatus(_ status: ObservedStatus, family id: Int, at moment: Moment) {
        guard let family = traffic.graph.families[id], family.end == nil,
            statuses[id] != status
        else { return }
        if case .renewing = status {
            if let before = statuses[id], before.code != .renewing {
                statusBeforeRenewal[id] = before
            }
        }
        statuses[id] = status
        emit(status, of: id, at: moment)
        guard let (state, why) = SessionState.shown(for: status) else { return }
        let session = SessionID(String(id))
        let before = states[session] ?? .cold
        guard before != state else { return }
        states[session] = state
        emit(SessionStateChanged(from: before, to: state, why: why), of: id, at: moment)
    }

    mutating func end(_ id: Int, _ end: ObservedEnd, in exchange: Int, at moment: Moment) {
        guard let family = traffic.graph.families[id], family.end == nil else { return }
        statusBeforeRenewal[id] = nil
        traffic.graph.change(id) { family in
            family.end = end
            family.endedAt = moment
            family.endedIn = exchange
        }
        statuses[id] = .ended(end)
        let session = SessionID(String(id))
        let before = states[session] ?? .cold
        let reason = SignedOutReason(end)
        states[session] = .signedOut(reason)
        emit(
            ObservedStatus.ended(end),
            SessionStateChanged(from: before, to: .signedOut(reason), why: .ended(reason)),
            SignedOut(reason),
            of: id,
            at: moment
        )
    }
}
