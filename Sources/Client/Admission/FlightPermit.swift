package import Basics
import Synchronization

/// Until when the logins and renewals of a run may begin: none does once another run may have taken the
/// sessions over.
package final class FlightPermit: Sendable {
    private let end: Mutex<Instant>

    /// - Parameter end: The instant from which none may begin.
    package init(until end: Instant) {
        self.end = Mutex(end)
    }

    /// Moves the end.
    package func extend(to end: Instant) {
        self.end.withLock { $0 = end }
    }

    func isValid(at now: Instant) -> Bool { end.withLock { now < $0 } }
}
