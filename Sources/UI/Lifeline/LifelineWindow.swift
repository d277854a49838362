import Basics
import FoundationEssentials

/// The columns of a lifeline: which time each stands for.
///
/// A column is a multiple of its duration on the clock that the screen shows, so that each second of
/// the clock is in one column.
struct LifelineWindow: Sendable, Equatable {
    /// The duration of a column, in nanoseconds.
    let column: Int64
    /// The first column, counted from the beginning of the clock.
    let first: Int64
    let columns: Int
    /// The column of the present, which may be outside.
    let now: Int64
    /// The place of the column under the cursor, or `nil` if there is no cursor.
    let cursor: Int?

    private let origin: Instant
    /// The time of the shown clock at `origin`, in nanoseconds.
    private let clock: Int64

    /// The share of the columns that is past while the picture follows the present, on average.
    private static let past = 4.0 / 5

    /// Sums of times come out a little below the time that they mean.
    private static let grace: Int64 = 500_000

    /// - Parameters:
    ///   - column: The duration of a column, in nanoseconds.
    ///   - columns: The number of columns.
    ///   - clock: The clock of the screen.
    ///   - held: The cursor, or `nil` if the picture follows the present.
    ///   - step: The number of columns that the picture moves at once: it stands still in between.
    init(
        column: Int64,
        columns: Int,
        clock: ViewClock,
        held: LifelineView.Held? = nil,
        step: Int = 1
    ) {
        self.column = max(1, column)
        self.columns = max(1, columns)
        origin = clock.shown.now
        let wall = clock.shown.wall.timeIntervalSince1970.rounded()
        let seconds = wall.isFinite ? min(max(wall, -4e9), 4e9) : 0
        self.clock = (Int64(seconds) + Int64(clock.formatter.utcOffsetSeconds)) * 1_000_000_000
        let present = self.column < 1_000_000_000 ? clock.exact.now : origin
        now = Self.floor(self.clock + (present - origin).nanoseconds, self.column)
        guard let held else {
            cursor = nil
            let step = Int64(max(1, step))
            let past = Int64(Double(self.columns) * Self.past) - step / 2
            first = Self.floor(now - past, step) * step
            return
        }
        let place = min(max(0, held.column), self.columns - 1)
        cursor = place
        let column = Self.floor(
            self.clock + (held.cursor - origin).nanoseconds + Self.grace,
            self.column
        )
        first = column - Int64(place)
    }

    /// Returns the column of an instant.
    func column(of instant: Instant) -> Int64 {
        Self.floor(clock + (instant - origin).nanoseconds + Self.grace, column)
    }

    /// Returns the column of something that has happened, which is never after the present.
    func column(ofPast instant: Instant) -> Int64 {
        min(column(of: instant), now)
    }

    /// Returns the place of a column, or `nil` if it is outside.
    func place(of column: Int64) -> Int? {
        let place = column - first
        return place >= 0 && place < Int64(columns) ? Int(place) : nil
    }

    /// Returns the instant at which a column begins.
    func start(of column: Int64) -> Instant {
        origin + .nanoseconds(column * self.column - clock)
    }

    /// Returns an instant in the middle of a column.
    func middle(of column: Int64) -> Instant {
        start(of: column) + .nanoseconds(self.column / 2)
    }

    /// When the next column begins.
    var nextColumn: Instant { start(of: now + 1) }

    /// The duration of a column in seconds.
    var seconds: Double { Double(column) / 1e9 }

    private static func floor(_ value: Int64, _ unit: Int64) -> Int64 {
        value >= 0 ? value / unit : (value - unit + 1) / unit
    }
}
