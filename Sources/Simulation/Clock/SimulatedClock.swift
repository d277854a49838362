package import Basics
import FoundationEssentials

/// The clocks of one computer and of the server, which follow the system's monotonic time except
/// for changes of a wall clock.
package struct SimulatedClock {
    /// The time of an accurate clock at the beginning: 1 January 2026.
    static let epoch = 1_767_225_600.0

    /// Seconds by which the machine's wall clock is wrong.
    var wallOffset = 0.0
    /// Seconds by which the server's clock is wrong.
    let serverOffset: Double

    func moment(at now: Instant) -> Moment {
        let seconds = Self.epoch + wallOffset + now.seconds(since: .origin)
        return Moment(now: now, wall: Date(timeIntervalSince1970: seconds))
    }

    /// Seconds since 1970 by the server's clock.
    package func serverSeconds(at now: Instant) -> Double {
        Self.epoch + serverOffset + now.seconds(since: .origin)
    }

    /// Returns the instant at which the server's clock shows a number of seconds since 1970.
    func instant(atServerSeconds seconds: Double) -> Instant {
        Instant.origin.advanced(bySeconds: seconds - Self.epoch - serverOffset)
    }
}
