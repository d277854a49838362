package import Timekeeping

/// A word to the person in the last row.
package struct Notice: Sendable, Equatable {
    /// Seconds that a notice about an event stays.
    static let life = 8.0

    package var words: String
    package var isWarning: Bool
    /// Nil: until the next key.
    package var until: Instant?

    package init(_ words: String, isWarning: Bool = true, until: Instant? = nil) {
        self.words = words
        self.isWarning = isWarning
        self.until = until
    }

    var line: Line {
        isWarning ? Line(" ⚠ \(words)", .warning) : Line(" ▸ \(words)", .busy)
    }

    func isOver(_ clock: SceneClock) -> Bool {
        until.map(clock.isOver) ?? false
    }
}
