/// The time that may be spent on what others cause as often as they like: a tenth of all time, and half
/// a second at once after a while without it.
package struct TimeAllowance: Sendable {
    private static let share = 10
    private static let limit = Duration.milliseconds(500)

    private var left = limit
    private var last: Instant?

    package init() {}

    /// Returns whether something is left at a moment, none of which is before an earlier one.
    package mutating func isLeft(at now: Instant) -> Bool {
        if let last { left = min(left + (now - last) / Self.share, Self.limit) }
        last = now
        return left > .zero
    }

    package mutating func spend(_ time: Duration) {
        left -= time
    }
}
