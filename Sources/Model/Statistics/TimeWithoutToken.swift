package import Basics

/// The time during which a session had no access token that may be used.
///
/// Counted on the monotonic clock, from the `usableUntil` instant of a pair until the next pair or
/// the session's end: setting the wall clock changes nothing, and sleep counts. Whether the backend
/// still accepts a token is another matter: its refusals are counted with the requests.
package struct TimeWithoutToken: Sendable, Equatable {
    /// The number of times that there was none.
    private(set) var count = 0
    /// Of the times that are over.
    private var past = 0.0
    /// When the token ends or ended, or `nil` if it does not, or none is held.
    private var since: Instant?

    init() {}

    /// In seconds, the time that is still running included.
    package func seconds(at now: Instant) -> Double {
        past + running(at: now)
    }

    /// The number of times that there was none, that which is still running included.
    package func count(at now: Instant) -> Int {
        running(at: now) > 0 ? count + 1 : count
    }

    /// Begins a time with a token that may be used until `usableUntil`, or `nil` if its expiry is
    /// unknown.
    mutating func tokenAvailable(until usableUntil: Instant?, at now: Instant) {
        settle(at: now)
        since = usableUntil.map { max($0, now) }
    }

    /// Nothing is held any more, and nothing is missed.
    mutating func release(at now: Instant) {
        settle(at: now)
        since = nil
    }

    private func running(at now: Instant) -> Double {
        since.map { max(0, now.seconds(since: $0)) } ?? 0
    }

    private mutating func settle(at now: Instant) {
        let seconds = running(at: now)
        guard seconds > 0 else { return }
        past += seconds
        count += 1
    }
}
