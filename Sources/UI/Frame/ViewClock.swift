import Basics
import FoundationEssentials
import Model

/// Time as one frame shows it.
///
/// Every number counts from the wall second that the header shows, so that all of them turn
/// together and the arithmetic on the screen is right: clock + time left = time of expiry. What is
/// already over is judged by the exact instant.
struct ViewClock: Sendable {
    let exact: Moment
    /// `exact`, put back to the last whole second of the wall clock.
    let shown: Moment
    let formatter: ClockFormatter

    init(now: Moment, utcOffsetSeconds: Int) {
        exact = now
        let seconds = now.wall.timeIntervalSince1970
        let fraction = seconds.isFinite ? seconds - seconds.rounded(.down) : 0
        shown = Moment(
            now: now.now.advanced(bySeconds: -fraction),
            wall: now.wall.addingTimeInterval(-fraction)
        )
        formatter = ClockFormatter(utcOffsetSeconds: utcOffsetSeconds)
    }

    /// Seconds that are left, never negative; whole ones where both ends are shown as times.
    func left(until instant: Instant) -> Double {
        max(0, (wholeSecond(of: instant) - shown.wall.timeIntervalSince1970).rounded())
    }

    /// Seconds that have passed, never negative.
    func passed(since moment: Moment) -> Double {
        max(0, (shown.wall.timeIntervalSince1970 - wholeSecond(of: moment.now)).rounded())
    }

    /// `in 4 m 36 s`, or `now` once the countdown has ended.
    func inTime(_ instant: Instant) -> String {
        let seconds = left(until: instant)
        return seconds > 0 ? "in \(DurationFormatter.counting(seconds))" : "now"
    }

    func isOver(_ instant: Instant) -> Bool {
        exact.now >= instant
    }

    private func wholeSecond(of instant: Instant) -> Double {
        let seconds = shown.wallTime(at: instant).timeIntervalSince1970
        return (seconds + ClockFormatter.grace).rounded(.down)
    }

    /// The time of day at an instant, with the day where it is another one.
    func when(_ instant: Instant) -> String {
        formatter.when(shown.wallTime(at: instant), now: shown.wall)
    }

    func when(_ moment: Moment) -> String {
        formatter.when(moment.wall, now: shown.wall)
    }
}

extension Moment {
    /// The same wall time at another instant.
    func with(now: Instant) -> Moment {
        Moment(now: now, wall: wall)
    }
}
