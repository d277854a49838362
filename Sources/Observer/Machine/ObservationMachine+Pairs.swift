import Basics
import Model
import Profiles

/// The effect of an answer on a family: it brings a pair, refuses a token, or lets one pass.
extension ObservationMachine {
    mutating func issue(
        _ exchange: ObservedExchange,
        _ facts: AnswerFacts,
        at moment: Moment
    ) {
        let isSingle =
            exchange.purpose == .refresh
            && (exchange.refresh == nil || exchange.refresh == exchange.access?.fingerprint)
        let replacement = isSingle ? replacement(exchange, facts) : nil
        let access =
            replacement?.token
            // A cookie beside a token that the app itself sends is what renews it, or stands for it.
            ?? facts.issued.first { $0.role == .access && $0.place != .cookie }
            ?? facts.issued.first { $0.role == .access }
            ?? facts.issued.first { $0.role == .session }
        let arrival = TokenGraph.Arrival(
            kind: exchange.purpose == .refresh ? .refresh : .login,
            exchange: exchange.number,
            client: exchange.client,
            origin: exchange.request.origin,
            sentAt: exchange.startedAt,
            access: access,
            refresh: replacement?.isAskedFor == true
                ? access : facts.issued.first { $0.role == .refresh },
            subject: facts.subject,
            parent: exchange.purpose == .refresh ? parent(of: exchange, replacement) : nil,
            isParentRefresh: replacement == nil,
            offset: facts.offset
        )
        if exchange.purpose == .refresh {
            renew(exchange, arrival, replacing: replacement, at: moment)
        } else {
            logIn(exchange, arrival, at: moment)
        }
        addIDTokens(of: facts, in: exchange.number)
        guard let id = traffic.exchange(exchange.number)?.family else { return }
        let isUnnamed = facts.unnamed?.contains { $0.fingerprint == arrival.refresh?.fingerprint }
        if isUnnamed ?? false { traffic.graph.change(id) { $0.isRefreshInferred = true } }
        // A value beside the pair belongs to its session: the cookie of a session on the server.
        for token in facts.issued where token.role == .access || token.role == .session {
            traffic.graph.attach(token.fingerprint, as: token.role, to: id)
        }
    }

    /// The token that a refresh exchanges.
    private func parent(
        of exchange: ObservedExchange,
        _ replacement: Replacement?
    ) -> TokenDescription? {
        let fingerprint = replacement == nil ? exchange.refresh : exchange.access?.fingerprint
        return exchange.request.presented.first { $0.fingerprint == fingerprint }?.token
    }

    /// Adds the id tokens that came with a pair: some apps present them as bearer tokens.
    private mutating func addIDTokens(of facts: AnswerFacts, in number: Int) {
        guard let exchange = traffic.exchange(number), let id = exchange.family,
            let pair = traffic.graph.families[id]?.generations.last(where: {
                $0.number == exchange.issuedGeneration
            })
        else { return }
        for token in facts.issued
        where token.role == .id && traffic.graph.node(token.fingerprint) == nil {
            traffic.graph.add(token.token, as: .id, to: id, generation: pair)
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
            restate(arrival, at: moment)
            logged(exchange.number, at: moment)
            return
        }
        let id = traffic.graph.start(arrival)
        if let name = arrival.access.flatMap({ sessionName(in: $0.token.claims) }) {
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
        replacing replacement: Replacement?,
        at moment: Moment
    ) {
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
        if let replacement, !replacement.isAskedFor {
            traffic.graph.change(family) {
                $0.answers += 1
                $0.replacements += 1
            }
            if let current = traffic.graph.families[family], current.isRolling,
                let newest = current.newestGeneration
            {
                roll(newest, of: family, to: replacement.token, in: exchange)
                change(exchange.number) {
                    $0.purpose = .protected
                    $0.outcome = .accepted
                    $0.isRolled = true
                }
                logged(exchange.number, at: moment)
                return
            }
        }
        let number =
            exchange.refreshGeneration ?? exchange.generation
            ?? traffic.graph.families[family]?.newest ?? 0
        let added = traffic.graph.follow(arrival, in: family, after: number)
        let known = arrival.access.flatMap { traffic.graph.node($0.fingerprint)?.generation }
        change(exchange.number) {
            $0.family = family
            $0.issuedGeneration = added?.number ?? known
        }
        guard let added else {
            // The same access token as before.
            restate(arrival, at: moment)
            logged(exchange.number, at: moment)
            return
        }
        publish(added, of: family, arrival, exchange.confidence, exchange.cause, at: moment)
    }

    /// Takes in that an answer has replaced the one token of a session, as each does.
    private mutating func roll(
        _ pair: TokenGeneration,
        of id: Int,
        to token: TokenOccurrence,
        in exchange: ObservedExchange
    ) {
        traffic.graph.add(token.token, as: .session, to: id, generation: pair)
        let deadline = token.deadline(sentAt: exchange.startedAt)
        traffic.graph.change(id) { family in
            family.change(generation: pair.number, branch: pair.branch) {
                $0.pair.accessExpiry = deadline
                $0.pair.usableUntil = deadline?.statedEnd
            }
        }
        if case .live? = statuses[id] { statuses[id] = .live(until: deadline?.statedEnd) }
    }

    /// Takes in the token that comes in place of that of a request whose answer refuses it all the same.
    mutating func addRolled(of exchange: ObservedExchange, _ facts: AnswerFacts) {
        guard facts.isSuccess, let replacement = replacement(exchange, facts),
            let family = traffic.family(of: exchange), let newest = family.newestGeneration
        else { return }
        traffic.graph.add(replacement.token.token, as: .session, to: family.id, generation: newest)
    }

    // MARK: - What it refused

    private static let raceDepth = 256

    mutating func refuse(
        _ exchange: ObservedExchange,
        _ isFinal: Bool,
        at moment: Moment
    ) {
        recordFailure(of: exchange, at: moment)
        log(exchange, at: moment)
        guard isFinal, let refresh = exchange.refresh, let id = exchange.family,
            let family = traffic.graph.families[id], family.end == nil
        else { return }
        let isNewest = traffic.newestHeld(in: family)?.refresh == refresh
        let wasReused = family.refused.contains { family.child(of: $0) != nil }
        traffic.graph.change(id) { $0.refused.insert(refresh) }
        // One that was sent at the same time may have won: its answer tells.
        let isRaced = traffic.newestFirst.prefix(Self.raceDepth).contains { other in
            other.number != exchange.number && other.purpose == .refresh
                && other.refresh == refresh && !other.isOver
        }
        guard isNewest, !isRaced else { return }
        end(id, wasReused ? .reuseDetected : .refreshRefused, in: exchange.number, at: moment)
    }

    /// Takes in what a login or a refresh says of an access token that it brings again: another end,
    /// and another refresh token.
    private mutating func restate(_ arrival: TokenGraph.Arrival, at moment: Moment) {
        guard let access = arrival.access, let node = traffic.graph.node(access.fingerprint),
            let pair = traffic.graph.generation(of: access.fingerprint),
            pair.access?.fingerprint == access.fingerprint
        else { return }
        if let refresh = arrival.refresh?.token, traffic.graph.node(refresh.fingerprint) == nil {
            traffic.graph.change(node.family) { family in
                family.change(generation: pair.number, branch: pair.branch) {
                    $0.pair.refresh = nil
                }
            }
            traffic.graph.add(refresh, as: .refresh, to: node.family, generation: pair)
        }
        let deadline = access.deadline(sentAt: arrival.sentAt)
        if let deadline { setDeadline(deadline, of: pair, in: node.family, at: moment) }
        if case .renewing? = statuses[node.family] {
            let end = (deadline ?? pair.pair.accessExpiry)?.statedEnd
            setStatus(.live(until: end), family: node.family, at: moment)
        }
    }

    /// Replaces the end of an access token, or takes it away.
    private mutating func setDeadline(
        _ deadline: Deadline?,
        of pair: TokenGeneration,
        in id: Int,
        at moment: Moment
    ) {
        traffic.graph.change(id) { family in
            family.change(generation: pair.number, branch: pair.branch) {
                $0.pair.accessExpiry = deadline
                $0.pair.usableUntil = deadline?.statedEnd
            }
        }
        guard pair.number == traffic.graph.families[id]?.newest else { return }
        switch statuses[id] {
        case .live, .expired, .joined:
            setStatus(.live(until: deadline?.statedEnd), family: id, at: moment)
        case .renewing, .refused, .ended, nil: break
        }
    }

    /// Takes in that an access token goes on: an answer states a new end of it, or it is the only token
    /// of its session, which says nothing of its end itself, and was accepted after that.
    private mutating func prolong(
        _ exchange: ObservedExchange,
        _ facts: AnswerFacts,
        at moment: Moment
    ) {
        guard let access = exchange.access?.fingerprint, exchange.purpose == .protected,
            exchange.outcome == .accepted, let id = exchange.family,
            let pair = traffic.graph.generation(of: access), pair.access?.fingerprint == access
        else { return }
        let again = facts.issued.first { $0.fingerprint == access }
        let deadline = again?.deadline(sentAt: exchange.startedAt)
        guard deadline != nil || isOutlived(pair, by: exchange) else { return }
        let late = pair.pair.accessExpiry.map {
            exchange.startedAt.now.seconds(since: $0.statedEnd)
        }
        if deadline == nil {
            traffic.graph.change(id) { family in
                family.change(generation: pair.number, branch: pair.branch) {
                    $0.outlived = late.map { (exchange.number, $0) }
                }
            }
        }
        setDeadline(deadline, of: pair, in: id, at: moment)
    }

    private func isOutlived(_ pair: TokenGeneration, by exchange: ObservedExchange) -> Bool {
        guard let access = pair.access, access.claims["exp"] == nil,
            pair.refresh == nil || pair.refresh == access.fingerprint
        else { return false }
        return traffic.isPastEnd(exchange)
    }

    /// Takes in what an answer shows of a token that was only used.
    mutating func use(
        _ exchange: ObservedExchange,
        _ facts: AnswerFacts,
        at moment: Moment
    ) {
        guard let id = exchange.family else { return }
        traffic.graph.change(id) { family in
            family.lastUsedAt = moment
            if exchange.access != nil { family.answers += 1 }
        }
        if facts.isSuccess {
            for token in facts.issued where token.place == .body {
                traffic.graph.attach(token.fingerprint, as: token.role, to: id)
            }
        }
        prolong(exchange, facts, at: moment)
        guard exchange.outcome == .accepted, case .refused? = statuses[id],
            let family = traffic.graph.families[id], family.end == nil,
            exchange.generation == family.newest
        else { return }
        setStatus(
            .live(until: family.newestGeneration?.pair.accessExpiry?.statedEnd),
            family: id,
            at: moment
        )
    }
}
