import Lifecycle
import Timekeeping
import Tokens

/// What an answer makes of a request, and of its family.
extension ObservationMachine {
    mutating func answer(
        _ started: ObservedExchange,
        _ facts: AnswerFacts,
        at moment: Moment
    ) {
        var exchange = started
        exchange.answer = facts
        exchange.endedAt = moment
        traffic.note(
            latency: moment.now.seconds(since: exchange.startedAt.now),
            of: exchange.request.origin
        )
        reconsider(&exchange, facts)
        exchange.outcome = outcome(of: exchange, facts)
        traffic.exchanges.insert(exchange)
        switch exchange.outcome {
        case .issued: issue(exchange, facts, at: moment)
        case .refreshRefused(let isFinal): refuse(exchange, isFinal, at: moment)
        case .tokenRefused:
            log(exchange, at: moment)
            if let family = exchange.family {
                stand(.refused(exchange: exchange.number), family: family, at: moment)
            }
        case .loggedOut:
            log(exchange, at: moment)
            if let family = exchange.family, endsSession(exchange) {
                end(family, .logout, in: exchange.number, at: moment)
            }
        case .accepted, .loginRefused, .transient, .inconclusive, .unanswered, .notSent, nil:
            if exchange.purpose == .refresh { noteFailure(of: exchange, at: moment) }
            log(exchange, at: moment)
            use(exchange, facts, at: moment)
        }
        if let family = exchange.family, facts.isSuccess {
            for candidate in facts.candidates { candidates[candidate] = family }
        }
    }

    // MARK: - What it was

    /// Decides again what the request was for, now that it is known what it brought.
    private mutating func reconsider(_ exchange: inout ObservedExchange, _ facts: AnswerFacts) {
        let request = exchange.request
        guard exchange.confidence != .exact else { return }
        if exchange.purpose == .other || exchange.purpose == .protected, facts.isSuccess,
            request.method != "GET", deletesToken(exchange, facts), facts.issued.isEmpty
        {
            exchange.purpose = .logout
            return
        }
        guard facts.status < 400, bringsAccess(facts),
            ![.refresh, .logout, .preflight].contains(exchange.purpose)
        else { return }
        let presentsKnown = exchange.refresh.map { traffic.graph.node($0) != nil } ?? false
        let isByTheWay =
            exchange.access != nil && !request.isNamedRefresh
            && !request.sightings.contains {
                $0.fingerprint == exchange.refresh && $0.place != .cookie
            }
        if exchange.refresh != nil, !isByTheWay, !request.hasCredentials || presentsKnown {
            exchange.purpose = .refresh
            exchange.confidence = presentsKnown ? .certain : .likely
        } else if isLogin(exchange, facts) {
            exchange.purpose = .login
        } else if changedCookie(exchange, facts) != nil {
            exchange.purpose = .refresh
            exchange.confidence = .certain
        } else {
            return
        }
        if exchange.confidence == .certain, changedCookie(exchange, facts) == nil {
            endpoints.learn(exchange.purpose, of: request)
        }
    }

    /// Whether a request that brought an access token was a login.
    private func isLogin(_ exchange: ObservedExchange, _ facts: AnswerFacts) -> Bool {
        guard exchange.access != nil else {
            return exchange.request.hasCredentials || exchange.request.method != "GET"
        }
        // With a token of a session, other answers bring tokens, too: of devices, of uploads.
        return exchange.request.hasCredentials
            && facts.issued.contains { $0.role == .refresh || $0.place == .cookie }
    }

    private func bringsAccess(_ facts: AnswerFacts) -> Bool {
        facts.issued.contains { $0.role == .access || $0.role == .session }
    }

    private func deletesToken(_ exchange: ObservedExchange, _ facts: AnswerFacts) -> Bool {
        let names = Set(
            exchange.request.sightings.filter { $0.place == .cookie && $0.role != .unknown }
                .map(\.name)
        )
        return facts.cookies.contains { $0.value == nil && names.contains($0.name) }
    }

    /// The new value of the cookie that was presented as the session's, or `nil` if it is the same.
    private func changedCookie(
        _ exchange: ObservedExchange,
        _ facts: AnswerFacts
    ) -> TokenSighting? {
        guard let access = exchange.access, access.place == .cookie, exchange.family != nil else {
            return nil
        }
        return facts.issued.first {
            $0.place == .cookie && $0.name == access.name && $0.fingerprint != access.fingerprint
        }
    }

    private mutating func outcome(
        of exchange: ObservedExchange,
        _ facts: AnswerFacts
    ) -> ObservedExchange.Outcome {
        switch facts.meaning {
        case .issued: return .issued
        case .tokenRefused: return .tokenRefused
        case .accepted: return .accepted
        case .acknowledged: return .loggedOut
        case .inconclusive where facts.isTransient: return .transient
        case .inconclusive: return .inconclusive
        case .refused where exchange.purpose == .refresh:
            return .refreshRefused(isFinal: true)
        case .refusedOnce: return .refreshRefused(isFinal: isRefusedAgain(exchange))
        case .refused: return .loginRefused
        case nil: break
        }
        if facts.isTransient { return .transient }
        switch exchange.purpose {
        case .login where facts.status < 400 && bringsAccess(facts): return .issued
        case .login where [400, 401, 403, 422].contains(facts.status): return .loginRefused
        case .refresh where facts.status < 400 && bringsAccess(facts): return .issued
        case .refresh where [400, 401, 403].contains(facts.status):
            let isFinal = facts.refusesForGood || isRefusedAgain(exchange)
            return .refreshRefused(isFinal: isFinal)
        case .refresh: return .inconclusive
        case .logout:
            return facts.status < 400 || [401, 404].contains(facts.status)
                ? .loggedOut : .inconclusive
        case .login, .protected, .question, .socket, .stream, .preflight, .other: break
        }
        guard !facts.challenges.contains("insufficient_scope") else { return .inconclusive }
        if facts.isPage, facts.isSuccess, exchange.access?.place == .authorization {
            return .inconclusive
        }
        if exchange.access != nil {
            if facts.status == 401 { return .tokenRefused }
            if facts.status == 403, facts.challenges.contains("invalid_token") {
                return .tokenRefused
            }
        }
        return facts.status < 400 || [409, 412, 422].contains(facts.status)
            ? .accepted : .inconclusive
    }

    /// Whether a client was refused a refresh token before, and that was no refusal of the moment: a
    /// gateway refuses in the same way, so that only a second one counts, some time after the first,
    /// and each process of an app waits for its own.
    private mutating func isRefusedAgain(_ exchange: ObservedExchange) -> Bool {
        guard let refresh = exchange.refresh, let now = exchange.endedAt?.now else { return false }
        var known = refusals[refresh] ?? [:]
        if let first = known[exchange.client] {
            return now.seconds(since: first) >= SessionLedger.bareRefusalGap
        }
        known[exchange.client] = now
        refusals[refresh] = known
        return false
    }

    /// Whether a logout ends the session: the revocation of one access token does not, nor that of
    /// a refresh token that was replaced.
    private func endsSession(_ exchange: ObservedExchange) -> Bool {
        guard exchange.confidence != .exact else { return true }
        if let refresh = exchange.refresh, let family = traffic.graph.family(of: refresh) {
            return family.newestGeneration?.refresh == refresh
        }
        let isRevocation = exchange.request.template.lowercased().contains("revoke")
        return !isRevocation || !exchange.request.sightings.contains { $0.place == .body }
    }

    // MARK: - What it brought

    private mutating func issue(
        _ exchange: ObservedExchange,
        _ facts: AnswerFacts,
        at moment: Moment
    ) {
        let cookie = exchange.purpose == .refresh ? changedCookie(exchange, facts) : nil
        let isSameCookie = cookie != nil && exchange.refresh == nil
        let access =
            isSameCookie
            ? cookie
            : facts.issued.first { $0.role == .access }
                ?? facts.issued.first {
                    $0.role == .session
                }
        let arrival = TokenGraph.Arrival(
            kind: exchange.purpose == .refresh ? .refresh : .login,
            exchange: exchange.number,
            client: exchange.client,
            origin: exchange.request.origin,
            sentAt: exchange.startedAt,
            access: access,
            refresh: facts.issued.first { $0.role == .refresh },
            subject: facts.subject
        )
        if exchange.purpose == .refresh {
            renew(exchange, arrival, isSameCookie: isSameCookie, at: moment)
        } else {
            logIn(exchange, arrival, at: moment)
        }
    }

    private mutating func logIn(
        _ exchange: ObservedExchange,
        _ arrival: TokenGraph.Arrival,
        at moment: Moment
    ) {
        if let access = arrival.access?.fingerprint, let node = traffic.graph.node(access) {
            // The same token again: no other session.
            change(exchange.number) { $0.family = node.family }
            logged(exchange.number, at: moment)
            return
        }
        let id = traffic.graph.start(arrival)
        if let name = arrival.access.flatMap({ Self.sessionName(in: $0.token.claims) }) {
            named[name] = id
        }
        change(exchange.number) {
            $0.family = id
            $0.issuedGeneration = 1
        }
        if let old = exchange.family, traffic.graph.families[old]?.end == nil {
            end(old, .replaced, in: exchange.number, at: moment)
        }
        if let first = traffic.graph.families[id]?.newestGeneration {
            publish(first, of: id, arrival, exchange.confidence, exchange.cause, at: moment)
        }
    }

    private mutating func renew(
        _ exchange: ObservedExchange,
        _ arrival: TokenGraph.Arrival,
        isSameCookie: Bool,
        at moment: Moment
    ) {
        let parent = isSameCookie ? exchange.access?.fingerprint : exchange.refresh
        if let refresh = exchange.refresh { refusals[refresh] = nil }
        let family = exchange.family ?? joinedFamily(for: exchange, arrival)
        guard let family, traffic.graph.families[family] != nil else {
            let id = traffic.graph.start(arrival)
            change(exchange.number) {
                $0.family = id
                $0.issuedGeneration = 1
            }
            if let first = traffic.graph.families[id]?.newestGeneration {
                publish(first, of: id, arrival, exchange.confidence, exchange.cause, at: moment)
            }
            return
        }
        if isSameCookie, let access = arrival.access {
            traffic.graph.change(family) {
                $0.cookieAnswers += 1
                $0.cookieChanges += 1
            }
            if let current = traffic.graph.families[family], current.isRolling,
                let newest = current.newestGeneration
            {
                traffic.graph.add(
                    access.fingerprint,
                    as: .session,
                    to: family,
                    generation: newest
                )
                change(exchange.number) { $0.outcome = .accepted }
                logged(exchange.number, at: moment)
                return
            }
        }
        let number =
            exchange.refreshGeneration ?? exchange.generation
            ?? traffic.graph.families[family]?.newest ?? 0
        let added = traffic.graph.follow(arrival, in: family, after: number, parent: parent)
        let known = arrival.access.flatMap { traffic.graph.node($0.fingerprint)?.generation }
        change(exchange.number) {
            $0.family = family
            $0.issuedGeneration = added?.number ?? known
        }
        guard let added else {
            // The same pair as before.
            logged(exchange.number, at: moment)
            return
        }
        publish(added, of: family, arrival, exchange.confidence, exchange.cause, at: moment)
    }

    /// The one family that an unknown refresh token can belong to, or `nil` if it may be several.
    private mutating func joinedFamily(
        for exchange: ObservedExchange,
        _ arrival: TokenGraph.Arrival
    ) -> Int? {
        guard let refresh = exchange.refresh else { return nil }
        let subject = arrival.access?.token.claims["sub"]
        let fitting = traffic.graph.families.values.filter { family in
            guard family.isJoined, family.end == nil, family.clients.contains(exchange.client),
                let newest = family.newestGeneration, newest.refresh == nil
            else { return false }
            return newest.access?.claims["sub"] == subject
        }
        guard fitting.count == 1, let family = fitting.first, let newest = family.newestGeneration
        else { return nil }
        traffic.graph.add(refresh, as: .refresh, to: family.id, generation: newest)
        return family.id
    }

    // MARK: - What it refused

    private mutating func refuse(
        _ exchange: ObservedExchange,
        _ isFinal: Bool,
        at moment: Moment
    ) {
        noteFailure(of: exchange, at: moment)
        log(exchange, at: moment)
        guard isFinal, let refresh = exchange.refresh, let id = exchange.family,
            let family = traffic.graph.families[id], family.end == nil
        else { return }
        let isNewest = family.newestGeneration?.refresh == refresh
        let wasReused = family.refused.contains { !family.children(of: $0).isEmpty }
        traffic.graph.change(id) { $0.refused.insert(refresh) }
        guard isNewest else { return }
        end(id, wasReused ? .reuseDetected : .refreshRefused, in: exchange.number, at: moment)
    }

    /// Takes in what an answer shows of a token that was only used.
    private mutating func use(
        _ exchange: ObservedExchange,
        _ facts: AnswerFacts,
        at moment: Moment
    ) {
        guard let id = exchange.family else { return }
        let isCookie = exchange.access?.place == .cookie
        traffic.graph.change(id) { family in
            family.lastUsedAt = moment
            if isCookie { family.cookieAnswers += 1 }
        }
        if facts.isSuccess {
            for token in facts.issued where token.place == .body {
                traffic.graph.attach(token.fingerprint, as: token.role, to: id)
            }
        }
        guard exchange.outcome == .accepted, case .refused? = standings[id],
            let family = traffic.graph.families[id], family.end == nil,
            exchange.generation == family.newest
        else { return }
        stand(
            .live(until: family.newestGeneration?.accessDeadline?.statedEnd),
            family: id,
            at: moment
        )
    }

    mutating func change(_ number: Int, _ body: (inout ObservedExchange) -> Void) {
        traffic.exchanges.change(number, body)
    }

    private mutating func logged(_ number: Int, at moment: Moment) {
        if let exchange = traffic.exchange(number) { log(exchange, at: moment) }
    }
}
