package import Timekeeping

/// A message for the user in the last row.
package struct Notice: Sendable, Equatable {
    /// Seconds that a notice about an event stays.
    static let life = 8.0

    package var message: String
    package var isWarning: Bool
    /// When it disappears, or `nil` for the next key press.
    package var until: Instant?

    package init(_ message: String, isWarning: Bool = true, until: Instant? = nil) {
        self.message = message
        self.isWarning = isWarning
        self.until = until
    }

    var line: Line {
        isWarning ? Line(" ⚠ \(message)", .warning) : Line(" ▸ \(message)", .busy)
    }

    func isOver(_ clock: SceneClock) -> Bool {
        until.map(clock.isOver) ?? false
    }
}
