import Basics
import Model

/// The requests of one client with an access token that is refused each time.
///
/// It begins again once a renewal or a login begins, the client logs out, or the token is accepted.
struct RefusedUse: Sendable {
    /// Requests in a short time, each begun after the first of them had been refused.
    struct Burst: Sendable {
        /// The longest time that belongs to one, in seconds.
        static let window = 10.0
        private static let leastCount = 5
        private static let leastAtOneEndpoint = 3

        let first: Instant
        /// Whether the token before it was refused shortly before.
        let isSecondInARow: Bool
        private(set) var numbers: [Int] = []
        private var endpoints: [String: Int] = [:]

        init(first: Instant, isSecondInARow: Bool) {
            self.first = first
            self.isSecondInARow = isSecondInARow
        }

        /// Whether requests are repeated in it.
        var isLoop: Bool {
            numbers.count >= Self.leastCount
                && endpoints.values.contains { $0 >= Self.leastAtOneEndpoint }
        }

        mutating func add(_ exchange: ObservedExchange) {
            numbers.append(exchange.number)
            endpoints[exchange.request.endpoint, default: 0] += 1
        }
    }

    let family: Int?
    let first: Instant
    fileprivate(set) var last: Instant
    /// The requests, each begun after the refusal of the one before had reached the app.
    fileprivate(set) var count = 0
    /// The first of them, and the newest.
    fileprivate(set) var numbers: [Int] = []
    fileprivate(set) var burst: Burst
    /// Whether there was a burst in which requests were repeated.
    fileprivate(set) var wasLoop = false

    var seconds: Double { last.seconds(since: first) }

    fileprivate mutating func add(_ exchange: ObservedExchange) {
        count += 1
        last = exchange.startedAt.now
        if numbers.count >= ObservedFinding.evidenceLimit { numbers.remove(at: 1) }
        numbers.append(exchange.number)
    }
}

/// The refused access tokens that are used on, by token and client.
struct RefusedUses: Sendable {
    private var uses = RecentMap<Fingerprint, [ObservedClient: RefusedUse]>(limit: 256)

    subscript(access: Fingerprint, client: ObservedClient) -> RefusedUse? {
        get { uses[access]?[client] }
        set { uses.change(access, default: [:]) { $0[client] = newValue } }
    }

    func all(of access: Fingerprint) -> some Collection<RefusedUse> {
        (uses[access] ?? [:]).values
    }

    mutating func forget(_ access: Fingerprint) { uses[access] = nil }

    mutating func forget(family: Int) { forget { _, use in use.family == family } }

    mutating func forget(client: ObservedClient) { forget { other, _ in other == client } }

    private mutating func forget(_ matches: (ObservedClient, RefusedUse) -> Bool) {
        for (access, byClient) in uses.all where byClient.contains(where: matches) {
            let rest = byClient.filter { !matches($0.key, $0.value) }
            uses[access] = rest.isEmpty ? nil : rest
        }
    }
}

extension ObservedTraffic {
    /// The uses of the refused access token of a request; those of tokens that each answer replaces are
    /// counted together.
    func refusedUse(of exchange: ObservedExchange) -> RefusedUse? {
        countedToken(of: exchange).flatMap { refusedUses[$0, exchange.client] }
    }

    func countedToken(of exchange: ObservedExchange) -> Fingerprint? {
        guard let access = exchange.access?.fingerprint else { return nil }
        return isRolled(access) ? graph.generation(of: access)?.access?.fingerprint : access
    }

    /// Takes in that the access token of a request was refused.
    ///
    /// What is sent while a renewal is in progress, or waits for its next attempt, does not count.
    mutating func recordRefusedUse(_ exchange: ObservedExchange) {
        let startedAt = exchange.startedAt.now
        guard let access = countedToken(of: exchange),
            family(of: exchange).map({ lastAttempt(toRenew: $0, at: startedAt) }) != .pending
        else { return }
        let burst = RefusedUse.Burst(
            first: startedAt,
            isSecondInARow: refusedUses.all(of: access).contains(where: \.burst.isSecondInARow)
                || isSecondInARow(exchange)
        )
        var use =
            refusedUses[access, exchange.client]
            ?? RefusedUse(
                family: exchange.family,
                first: startedAt,
                last: startedAt,
                burst: burst
            )
        if use.numbers.last.map({ knew(exchange, of: $0) }) ?? true { use.add(exchange) }
        if exchange.purpose == .protected {
            if startedAt.seconds(since: use.burst.first) > RefusedUse.Burst.window {
                use.burst = burst
            }
            // A request in progress when the first refusal came does not repeat it.
            if use.burst.numbers.first.map({ knew(exchange, of: $0) }) ?? true {
                use.burst.add(exchange)
            }
            use.wasLoop = use.wasLoop || use.burst.isLoop
        }
        refusedUses[access, exchange.client] = use
    }

    /// Whether the answer to an earlier request had reached the app when it began one.
    private func knew(_ exchange: ObservedExchange, of earlier: Int) -> Bool {
        let before = self.exchange(earlier)
        return isAfter(exchange, (before?.deliveredAt ?? before?.openedAt)?.now)
    }
}
