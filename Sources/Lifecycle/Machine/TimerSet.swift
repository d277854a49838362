import Timekeeping

/// What the machine waits for besides answers.
enum SessionTimer: Int, Sendable, Hashable, CaseIterable {
    case vaultRetry
    case refreshAt
    case usableUntil
    case retry
    case refreshEnd
    case saveRetry
    case outbox
    case stormEnd
    case probe
}

/// At most one instant for each timer; small, so a plain array beats a dictionary.
struct TimerSet: Sendable, Hashable {
    private var instants: [Instant?] = Array(repeating: nil, count: SessionTimer.allCases.count)

    subscript(timer: SessionTimer) -> Instant? {
        get { instants[timer.rawValue] }
        set { instants[timer.rawValue] = newValue }
    }

    var earliest: Instant? {
        var earliest: Instant?
        for case let instant? in instants where earliest.map({ instant < $0 }) ?? true {
            earliest = instant
        }
        return earliest
    }

    /// Takes the timers that are due, the earliest first.
    mutating func takeDue(at now: Instant) -> [SessionTimer] {
        guard let earliest, earliest <= now else { return [] }
        let due = SessionTimer.allCases.compactMap { timer in
            self[timer].flatMap { $0 <= now ? (instant: $0, timer: timer) : nil }
        }
        for entry in due { self[entry.timer] = nil }
        return due.sorted { ($0.instant, $0.timer.rawValue) < ($1.instant, $1.timer.rawValue) }
            .map(\.timer)
    }

    mutating func clear(_ timers: SessionTimer...) {
        for timer in timers { self[timer] = nil }
    }
}
