import Basics

/// What a monitor has to know of one session, which is much less than its snapshot.
struct MonitoredSession: Sendable, Equatable {
    struct Flight: Sendable, Equatable {
        var number: Int
        var cause: RefreshCause
        var startedAt: Instant
    }

    /// The renewals of an app that are in progress at the same time.
    private static let flightLimit = 16

    /// The place of its profile among those that are counted apart.
    let profile: Int
    /// Whether an app has it, and not this program.
    var isObserved = false
    var state = SessionState.cold
    /// When the access token may no longer be used, or `nil` if its expiry is unknown.
    var usableUntil: Instant?
    var accessExpiry: Deadline?
    var refreshExpiry: Deadline?
    /// When a timer starts the next renewal, or `nil` if none does.
    var renewsAt: Instant?
    var timeWithoutToken = TimeWithoutToken()
    /// Whether the feed is open, or `nil` if there is none.
    var isFeedOpen: Bool?
    /// When the timer of the renewal that begins next was due.
    private var dueAt: Instant?
    private var flights: [Flight] = []

    init(profile: Int) {
        self.profile = profile
    }

    /// Whether an access token is held that may be used.
    func isUsable(at now: Instant) -> Bool {
        state.isLive && usableUntil.map { now < $0 } ?? true
    }

    mutating func plan(_ plan: RenewalPlan) {
        renewsAt = plan.renewsAt
        switch plan {
        case .scheduled(let instant, _): dueAt = instant
        case .held, .impossible: dueAt = nil
        // It is being tried, or waits for the lock.
        case .underWay, .awaitsLock: break
        }
    }

    /// Takes in that a renewal began.
    ///
    /// - Returns: By how many seconds its timer was late, or `nil` if no timer started it.
    mutating func start(_ flight: Flight) -> Double? {
        flights = flights.suffix(Self.flightLimit - 1) + [flight]
        defer { dueAt = nil }
        guard let dueAt, flight.cause == .timer || flight.cause.isRepetition else { return nil }
        return max(0, flight.startedAt.seconds(since: dueAt))
    }

    /// Takes in that a renewal is over.
    ///
    /// - Returns: The renewal, or `nil` if its start was not seen.
    mutating func end(_ number: Int) -> Flight? {
        flights.firstIndex { $0.number == number }.map { flights.remove(at: $0) }
    }

    mutating func hold(_ pair: PairDescription, at now: Instant) {
        usableUntil = pair.usableUntil ?? pair.accessExpiry?.at
        accessExpiry = pair.accessExpiry
        refreshExpiry = pair.refresh == nil ? nil : pair.refreshExpiry
        timeWithoutToken.tokenAvailable(until: usableUntil, at: now)
    }

    mutating func enter(_ state: SessionState, at now: Instant) {
        self.state = state
        switch state {
        case .signedOut, .signingOut:
            (usableUntil, accessExpiry, refreshExpiry, renewsAt) = (nil, nil, nil, nil)
            timeWithoutToken.release(at: now)
        case .cold, .vaultUnavailable, .signingIn, .fresh, .renewing, .retrying, .blocked,
            .expired, .unknown, .draining:
            break
        }
    }
}
