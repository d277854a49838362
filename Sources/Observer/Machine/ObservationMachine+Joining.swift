import Basics
import Model
import Profiles

/// A pair that was issued before the traffic was seen, and that is not announced yet.
struct JoinedPair: Sendable {
    let family: Int
    let number: Int
    let branch: Int
    let arrival: TokenGraph.Arrival
}

/// Sessions that had begun before their traffic was seen.
extension ObservationMachine {
    /// Finds the family of an access token that was never seen, or starts one.
    mutating func joinFamily(
        of access: TokenOccurrence,
        for exchange: inout ObservedExchange,
        at moment: Moment
    ) {
        let own = access.place == .authorization ? unnamedFamily(of: access) : nil
        if let family = candidates[access.fingerprint] ?? own {
            traffic.graph.attach(access.fingerprint, as: .access, to: family)
            return
        }
        if claimLogin(with: access, at: moment) { return }
        guard exchange.purpose == .protected || exchange.purpose.isSocket else {
            // Nothing is known of it, and the answer will tell.
            exchange.access = nil
            return
        }
        let arrival = TokenGraph.Arrival(
            kind: .joined,
            exchange: exchange.number,
            client: exchange.client,
            origin: exchange.request.origin,
            sentAt: exchange.startedAt,
            access: access
        )
        let name = sessionName(in: access.token.claims)
        if let name, let id = named[name], let family = traffic.graph.families[id],
            family.end == nil
        {
            let added = traffic.graph.follow(arrival, in: id, after: family.newest)
            if let added { join(added, of: id, arrival, at: moment) }
            return
        }
        let id = traffic.graph.start(arrival)
        if let name { named[name] = id }
        if let first = traffic.graph.families[id]?.newestGeneration {
            join(first, of: id, arrival, at: moment)
        }
    }

    /// A token's statement about its session, if there is one.
    func sessionName(in claims: [String: JSONValue]) -> String? {
        for claim in configuration.recognition.sessionClaims {
            guard let text = claims[claim]?.displayText, !text.isEmpty else { continue }
            return "\(claims["sub"]?.displayText ?? "") \(text)".bounded
        }
        return nil
    }

    /// The one family that an unknown refresh token can belong to, or `nil` if it may be several.
    mutating func joinedFamily(
        for exchange: ObservedExchange,
        _ arrival: TokenGraph.Arrival
    ) -> Int? {
        guard exchange.refresh != nil, let refresh = arrival.parent else { return nil }
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

    // MARK: - When it ends

    /// The time that the first answer of a backend is waited for, in seconds, whose `Date` tells by
    /// which clock a token ends.
    private static let clockWait = 1.0

    /// Announces a pair, at once unless its token ends by a clock that is not known yet.
    private mutating func join(
        _ pair: TokenGeneration,
        of id: Int,
        _ arrival: TokenGraph.Arrival,
        at moment: Moment
    ) {
        let joined = JoinedPair(
            family: id,
            number: pair.number,
            branch: pair.branch,
            arrival: arrival
        )
        let isByClock = pair.access?.claims["exp"] != nil
        if isByClock, offsets[arrival.origin] == nil {
            joinedPairs.append(joined)
        } else {
            announce(joined, at: moment)
        }
    }

    /// Takes in the clock of a backend, and announces what waited for it.
    mutating func recordClock(
        _ offset: ServerOffset?,
        of exchange: ObservedExchange,
        at moment: Moment
    ) {
        let origin = exchange.request.origin
        if let offset { offsets[origin] = offset }
        announceJoined(at: moment) { $0.arrival.origin == origin || $0.family == exchange.family }
    }

    /// The time at which a pair that waits without success is announced, or `nil` if none waits.
    var joinDeadline: Instant? {
        joinedPairs.first.map { $0.arrival.sentAt.now.advanced(bySeconds: Self.clockWait) }
    }

    mutating func announceOverdue(at moment: Moment) {
        announceJoined(at: moment) {
            $0.arrival.sentAt.now.advanced(bySeconds: Self.clockWait) <= moment.now
        }
    }

    private mutating func announceJoined(
        at moment: Moment,
        where matches: (JoinedPair) -> Bool
    ) {
        guard !joinedPairs.isEmpty else { return }
        let ready = joinedPairs.filter(matches)
        joinedPairs.removeAll(where: matches)
        for joined in ready { announce(joined, at: moment) }
    }

    private mutating func announce(_ joined: JoinedPair, at moment: Moment) {
        let (id, arrival) = (joined.family, joined.arrival)
        let deadline = arrival.access.flatMap {
            Deadline(statedBy: $0.token, seenAt: arrival.sentAt, offset: offsets[arrival.origin])
        }
        traffic.graph.change(id) { family in
            family.change(generation: joined.number, branch: joined.branch) {
                $0.pair.accessExpiry = deadline
                $0.pair.usableUntil = deadline?.statedEnd
            }
        }
        let pair = traffic.graph.families[id]?.generations.last {
            $0.number == joined.number && $0.branch == joined.branch
        }
        if let pair { publish(pair, of: id, arrival, .likely, .unknown, at: moment) }
    }
}
