package import Basics

/// Notices a backend that rejects tokens it has just issued, and holds renewals back for a while.
///
/// It never ends the session, and never holds back a renewal that the user requests.
package struct Breaker: Sendable, Hashable {
    /// The pauses that follow each other, in seconds; the last one repeats.
    static let pauses: [Double] = [30, 60, 120]
    /// More flights than this, started by refused requests within the window, open it.
    static let flightLimit = 5

    /// Whether a token of this age in seconds is so young that a refusal can hardly be about it.
    package static func isYoung(age: Double, lifetime: Double) -> Bool {
        age < min(5, lifetime / 4)
    }

    private var flights: [Instant] = []
    private var youngRejections: [Instant] = []
    private var lastRejectedGeneration = 0
    private var openings = 0
    package private(set) var openUntil: Instant?

    package init() {}

    package func isOpen(at now: Instant) -> Bool {
        openUntil.map { now < $0 } ?? false
    }

    /// Counts a flight that a refused request started.
    ///
    /// - Parameters:
    ///   - now: When it starts.
    ///   - lifetime: Of the access token, in seconds.
    /// - Returns: Until when the breaker is now open, if this opened it.
    package mutating func recordFlight(at now: Instant, lifetime: Double) -> Instant? {
        let window = (3 * lifetime).clamped(to: 10...30)
        flights.removeAll { now.seconds(since: $0) > window }
        flights.append(now)
        return flights.count > Self.flightLimit ? open(at: now) : nil
    }

    /// Counts a refused request whose token was of this age; once per generation, because parallel
    /// requests are refused together.
    package mutating func recordRejection(
        generation: Int,
        age: Double,
        lifetime: Double,
        at now: Instant
    ) -> Instant? {
        guard generation != lastRejectedGeneration, Self.isYoung(age: age, lifetime: lifetime)
        else {
            return nil
        }
        lastRejectedGeneration = generation
        youngRejections.removeAll { now.seconds(since: $0) > 30 }
        youngRejections.append(now)
        return youngRejections.count >= 2 ? open(at: now) : nil
    }

    /// Starts over once a token that is no longer young was accepted.
    package mutating func recordAccepted(age: Double, lifetime: Double) {
        guard !Self.isYoung(age: age, lifetime: lifetime) else { return }
        openings = 0
        youngRejections = []
    }

    package mutating func close() {
        openUntil = nil
    }

    private mutating func open(at now: Instant) -> Instant {
        let pause = Self.pauses[min(openings, Self.pauses.count - 1)]
        openings += 1
        flights = []
        youngRejections = []
        let until = now.advanced(bySeconds: pause)
        openUntil = until
        return until
    }
}
