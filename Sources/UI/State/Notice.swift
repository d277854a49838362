import Basics

/// A message for the user in the last row.
struct Notice: Sendable, Equatable {
    /// Seconds that a notice about an event stays.
    static let life = 8.0

    var message: String
    var isWarning: Bool
    /// When it disappears, or `nil` for the next key press.
    var until: Instant?

    init(_ message: String, isWarning: Bool = true, until: Instant? = nil) {
        self.message = message
        self.isWarning = isWarning
        self.until = until
    }

    /// The message over as many rows as it takes, so that its end is not cut: that is the next step.
    ///
    /// - Parameters:
    ///   - lasting: The hints that stay, at the right of the last row.
    ///   - columns: The columns of the screen.
    ///   - limit: The most rows of the message.
    /// - Returns: The rows.
    func lines(beside lasting: Line, columns: Int, rows limit: Int) -> [Line] {
        var lines = line.wrapped(to: columns, indent: 3)
        if lines.count > limit { lines = lines.limited(to: limit - 1, columns) }
        let last = lines.popLast() ?? Line()
        guard !lasting.isEmpty, last.width + lasting.width >= columns else {
            return lines + [Line.spread(last, lasting, over: columns)]
        }
        return lines + [last, Line.spread(Line(), lasting, over: columns)]
    }

    private var line: Line {
        isWarning ? Line(" ⚠ \(message)", .warning) : Line(" ▸ \(message)", .busy)
    }

    /// Whether another notice does not take its place: a warning stays until a key is pressed, unless
    /// the other one is a warning, too.
    func outlasts(_ other: Notice) -> Bool {
        isWarning && until == nil && !other.isWarning
    }

    func isOver(_ clock: ViewClock) -> Bool {
        until.map(clock.isOver) ?? false
    }
}
