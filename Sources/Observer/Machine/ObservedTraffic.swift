import Basics
package import Model
import Profiles

/// The state of an app's traffic: the newest exchanges, and the tokens in them.
package struct ObservedTraffic: Sendable {
    static let exchangeLimit = 4_096
    /// The number of the newest answers of an origin whose times count.
    private static let latencyLimit = 16

    var graph = TokenGraph()
    var refusedUses = RefusedUses()
    package private(set) var exchanges = BoundedLog<ObservedExchange>(limit: exchangeLimit)
    /// The exchanges that go on after newer ones have taken their places, by their numbers.
    private var unfinished: [Int: ObservedExchange] = [:]
    private static let unfinishedLimit = 1_024
    /// The origins to which a token may go, or none if any may get it.
    let origins: Set<String>
    /// The claims that name the organization that the user has chosen.
    let organizationClaims: [String]
    private var latencies: [String: [Double]] = [:]

    init(origins: Set<String>, organizationClaims: [String]) {
        self.origins = origins
        self.organizationClaims = organizationClaims
    }

    func exchange(_ number: Int) -> ObservedExchange? {
        let place = exchanges.place(of: number)
        // In one step, since each rule asks for it: an optional copies it again.
        if place < exchanges.endIndex, exchanges[place].number == number {
            return exchanges[place]
        }
        return unfinished[number]
    }

    /// Changes an exchange, if it is still there; its number must stay the same.
    mutating func change(_ number: Int, _ body: (inout ObservedExchange) -> Void) {
        guard let place = unfinished.index(forKey: number) else {
            return exchanges.change(number, body)
        }
        body(&unfinished.values[place])
    }

    /// Adds an exchange, or takes over what became known of one.
    ///
    /// - Returns: Whether there was no room for one that goes on, so that its end will not be known.
    @discardableResult
    mutating func insert(_ exchange: ObservedExchange) -> Bool {
        if unfinished[exchange.number] != nil {
            unfinished[exchange.number] = exchange
            return false
        }
        let oldest = exchanges.count >= exchanges.limit ? exchanges.first : nil
        exchanges.insert(exchange)
        guard let oldest, oldest.goesOn, exchanges.first?.number != oldest.number else {
            return false
        }
        unfinished[oldest.number] = oldest
        guard unfinished.count > Self.unfinishedLimit else { return false }
        // Those that have ended meanwhile were kept for what they had brought.
        unfinished = unfinished.filter(\.value.goesOn)
        guard unfinished.count > Self.unfinishedLimit, let least = unfinished.keys.min() else {
            return false
        }
        unfinished[least] = nil
        return true
    }

    func family(of exchange: ObservedExchange) -> TokenFamily? {
        exchange.family.flatMap { graph.families[$0] }
    }

    /// The pairs of a family that the app can have: one whose answer was lost is the backend's alone.
    func held(in family: TokenFamily) -> [TokenGeneration] {
        family.generations.filter {
            $0.kind == .joined || exchange($0.exchange)?.isAnswerLost != true
        }
    }

    /// The newest pair of a family that the app can have.
    func newestHeld(in family: TokenFamily) -> TokenGeneration? {
        let held = held(in: family)
        let newest = held.map(\.number).max()
        return held.last { $0.number == newest }
    }

    /// Whether there were requests, and none of them reached its backend.
    package var reachedNothing: Bool {
        !exchanges.isEmpty && exchanges.allSatisfy { $0.outcome == .notSent }
    }

    /// Whether a request presented an access token in a header other than `Authorization` and `Cookie`.
    package var hasTokensInHeaders: Bool {
        exchanges.contains { $0.access?.place == .header }
    }

    /// The number of the first exchange that is kept, if there were others before it.
    package var firstKept: Int? {
        exchanges.first.flatMap { exchanges.count >= exchanges.limit ? $0.number : nil }
    }

    /// The newest exchanges first.
    var newestFirst: ReversedCollection<BoundedLog<ObservedExchange>> {
        exchanges.reversed()
    }

    /// Looks for an exchange among the last ones.
    ///
    /// - Parameters:
    ///   - depth: The number of exchanges that are looked at.
    ///   - matches: Whether it is the one.
    /// - Returns: The newest one that matches, or `nil` if none does.
    func newest(_ depth: Int, where matches: (ObservedExchange) -> Bool) -> ObservedExchange? {
        let places = max(0, exchanges.count - depth)..<exchanges.count
        return places.reversed().first { matches(exchanges[$0]) }.map { exchanges[$0] }
    }

    mutating func record(latency seconds: Double, of origin: String) {
        latencies[origin] = (latencies[origin] ?? []).suffix(Self.latencyLimit - 1) + [seconds]
    }

    /// The time after a delivery within which a request may still be one that the app began before
    /// it, in seconds.
    func slack(_ origin: String) -> Double {
        let sorted = (latencies[origin] ?? []).sorted()
        guard !sorted.isEmpty else { return Self.leastSlack }
        return max(2 * sorted[sorted.count / 2], Self.leastSlack)
    }

    private static let leastSlack = 0.25

    /// Whether the app knew of something that was delivered when it began a request.
    func isAfter(_ exchange: ObservedExchange, _ delivery: Instant?) -> Bool {
        guard let delivery else { return false }
        return exchange.startedAt.now.seconds(since: delivery) > slack(exchange.request.origin)
    }

    /// Whether the app knew of a pair that was delivered when it began a request.
    ///
    /// Over the connection that had brought the pair, the app hardly sends what it had begun before. The
    /// pages of a browser share its connections, and each has its own time.
    func isAfter(_ exchange: ObservedExchange, _ delivery: TokenGeneration.Delivery) -> Bool {
        guard delivery.isByConnection(of: exchange), !exchange.isOfPage else {
            return isAfter(exchange, delivery.at)
        }
        return exchange.startedAt.now.seconds(since: delivery.at) > Self.slackOfOneConnection
    }

    private static let slackOfOneConnection = 0.05

    /// The pair newer than that of its access token which the same client had when it began the
    /// request, or `nil` if it had none.
    func newerGeneration(than exchange: ObservedExchange) -> TokenGeneration? {
        newerGenerations(than: exchange).last
    }

    /// A newer pair that the client had not only got, but stored, or `nil` if there is none.
    ///
    /// Where the app renews all the time, the newest one is always too new: the oldest counts, too.
    func storedGeneration(newerThan exchange: ObservedExchange) -> TokenGeneration? {
        let newer = newerGenerations(than: exchange)
        return [newer.last, newer.first].compactMap(\.self).first { isStored($0, before: exchange) }
    }

    private func newerGenerations(than exchange: ObservedExchange) -> [TokenGeneration] {
        guard let access = exchange.access, let family = family(of: exchange), !family.isRolling,
            let node = graph.node(access.fingerprint), !node.isAuxiliary,
            let used = exchange.generation, !isGivenLast(access, to: exchange)
        else { return [] }
        return family.generations.filter { generation in
            generation.number > used && generation.isSuccessor(of: access.token)
                && isAfter(exchange, generation.deliveredAt(to: exchange.client))
        }
    }

    /// Whether a cookie is what the backend had set last when the browser sent it: it was set back.
    private func isGivenLast(_ cookie: TokenOccurrence, to exchange: ObservedExchange) -> Bool {
        guard cookie.place == .cookie else { return false }
        var last: (at: Instant, value: Fingerprint?)?
        for other in newestFirst.prefix(Self.useDepth) where other.client == exchange.client {
            guard let at = other.deliveredAt?.now, at <= exchange.startedAt.now,
                last.map({ $0.at < at }) ?? true,
                let change = other.answer?.cookies.last(where: { $0.name == cookie.name })
            else { continue }
            last = (at, change.value)
        }
        return last?.value == cookie.fingerprint
    }

    /// Whether the client had stored a newer pair when it began a request: the connection of the
    /// request had brought it, or it had been used, or has been there for long.
    ///
    /// A process that is suspended stores nothing, and its first request after that may leave before it
    /// has: time counts from the first sign of life after the delivery.
    private func isStored(_ newer: TokenGeneration, before exchange: ObservedExchange) -> Bool {
        if newer.deliveries.contains(where: { $0.isByConnection(of: exchange) }) {
            return true
        }
        let delivery = newer.deliveredAt(to: exchange.client)
        return newestFirst.prefix(Self.useDepth).contains { other in
            guard other.number < exchange.number, other.client == exchange.client else {
                return false
            }
            let startedAt = other.startedAt.now
            if let delivery, startedAt > delivery,
                exchange.startedAt.now.seconds(since: startedAt) > Self.storingTime
            {
                return true
            }
            return other.family == exchange.family
                && other.access?.fingerprint == newer.access?.fingerprint
                && isAfter(exchange, startedAt)
        }
    }

    /// The time that an app may take to store what it was sent and to tell its other connections,
    /// in seconds.
    private static let storingTime = 2.0
    /// The number of exchanges that are looked through for a use.
    private static let useDepth = 256

    /// The result of an app's last attempt to renew a session.
    enum RenewalAttempt {
        /// There was none, or it has brought a pair.
        case none
        /// The app waits for its answer, or for the next attempt.
        case pending
        /// It brought nothing, and no other one followed it.
        case failed
    }

    /// The result of the last attempt to renew a session.
    ///
    /// A sound app waits longer after each failure. Until the longest of these waits is over, its
    /// silence about a refused access token says nothing.
    func lastAttempt(toRenew family: TokenFamily, at instant: Instant) -> RenewalAttempt {
        guard let number = family.lastRefresh else { return .none }
        guard let last = exchange(number) else {
            return number == family.newestGeneration?.exchange ? .none : .failed
        }
        guard let end = last.endedAt?.now else { return .pending }
        if last.outcome == .issued, !last.isAnswerLost { return .none }
        if last.outcome == .refreshRefused(isFinal: true) { return .failed }
        let requested = (last.answer?.retryAfter ?? 0)
            .clamped(to: 0...RetryPolicy.longestRetryAfter)
        let wait = max(RetryPolicy.longestDelay, requested)
        return instant.seconds(since: end) <= wait ? .pending : .failed
    }

    /// Whether the token before that of a refused request was refused shortly before: a sound app does
    /// not renew again then, and may end the session.
    func isSecondInARow(_ refused: ObservedExchange) -> Bool {
        newestFirst.prefix(Self.roundDepth).contains { other in
            other.outcome == .tokenRefused && other.family == refused.family
                && (other.generation ?? 0) < (refused.generation ?? 0)
                && refused.startedAt.now.seconds(since: other.startedAt.now) <= Self.longestRound
        }
    }

    /// The longest time between two refusals that belong together, in seconds.
    static let longestRound = 60.0
    /// The number of exchanges that are looked through for a refusal of the token before.
    private static let roundDepth = 256

    /// Whether the app has begun a logout of a family, whatever its result.
    func hasLogout(ofFamily family: Int) -> Bool {
        newestFirst.prefix(Self.logoutDepth).contains {
            $0.purpose == .logout && $0.family == family
        }
    }

    private static let logoutDepth = 256

    /// The tolerated difference between two clocks, in seconds.
    static let clockTolerance = 2.0

    /// Whether a request presented an access token that had ended, as its answer or itself had stated.
    func isPastEnd(_ exchange: ObservedExchange) -> Bool {
        guard let deadline = accessDeadline(of: exchange), !deadline.expiry.isAssumed else {
            return false
        }
        return exchange.startedAt.now.seconds(since: deadline.statedEnd)
            > Self.clockTolerance + deadline.expiry.skewWidth
    }

    /// The end of the access token that a request presented, or `nil` if it is unknown.
    func accessDeadline(of exchange: ObservedExchange) -> Deadline? {
        guard let access = exchange.access?.fingerprint else { return nil }
        // One that was made for a session states its end itself, or has none that is known.
        if let token = exchange.access?.token, graph.node(access)?.isAuxiliary == true {
            return Deadline(
                statedBy: token,
                seenAt: exchange.startedAt,
                offset: exchange.answer?.offset
            )
        }
        return graph.generation(of: access).flatMap { generation in
            generation.access?.fingerprint == access || isRolled(access)
                ? generation.pair.accessExpiry : nil
        }
    }

    /// Whether a token is one of those of a session that each answer replaces, and not the first.
    func isRolled(_ access: Fingerprint) -> Bool {
        guard let node = graph.node(access), node.role == .session, !node.isAuxiliary else {
            return false
        }
        return graph.generation(of: access)?.access?.fingerprint != access
    }
}
