import Basics
import FoundationEssentials
import Model

/// The axis of a lifeline: times of the clock, the present, and what is planned.
struct LifelineAxis {
    let session: SessionSnapshot
    let window: LifelineWindow
    let clock: ViewClock

    /// Columns from the beginning of one time to that of the next, at least.
    private static let distance = 20.0
    /// In seconds.
    private static let steps: [Int64] = [
        1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200,
        86_400, 172_800, 432_000, 864_000, 2_592_000, 7_776_000, 31_104_000, 155_520_000,
    ]

    private struct Sign {
        let column: Int64
        let symbol: Unicode.Scalar
        let name: String
        let style: Style
    }

    /// Signs come first, then their names, then times, as far as there is room.
    var cells: [Lifeline.Cell] {
        var cells = Array(repeating: Lifeline.Cell.blank, count: window.columns)
        var signs: [(place: Int, sign: Sign)] = []
        for sign in self.signs {
            guard let place = window.place(of: sign.column), cells[place] == .blank else {
                continue
            }
            cells[place] = Lifeline.Cell(sign.symbol, sign.style)
            signs.append((place, sign))
        }
        for (place, sign) in signs { write(" \(sign.name)", sign.style, at: place + 1, on: &cells) }
        for (place, time) in times { write(time, .dim, at: place, on: &cells) }
        return cells
    }

    /// Writes a text where all of its columns and the one after are free.
    private func write(
        _ text: String,
        _ style: Style,
        at place: Int,
        on cells: inout [Lifeline.Cell]
    ) {
        let end = place + text.unicodeScalars.count
        guard place >= 0, end <= cells.count else { return }
        let room = max(0, place - 1)..<min(cells.count, end + 1)
        let isFree = room.allSatisfy { cells[$0] == .blank || ($0 < place && text.first == " ") }
        guard isFree else { return }
        for (offset, letter) in text.unicodeScalars.enumerated() {
            cells[place + offset] = Lifeline.Cell(letter, style)
        }
    }

    private var signs: [Sign] {
        var signs = [Sign(column: window.now, symbol: "▲", name: "now", style: .plain)]
        if let end = session.drainsAt {
            signs.append(
                Sign(column: window.column(of: end), symbol: "✗", name: "ends", style: .bad)
            )
        } else if let at = session.renewalPlan?.renewsAt {
            let column = max(window.now, window.column(of: at))
            signs.append(Sign(column: column, symbol: "▼", name: "renews", style: .busy))
        }
        if let refresh = session.current?.pair.refreshExpiry {
            let isAssumed = refresh.expiry.isAssumed
            signs.append(
                Sign(
                    column: window.column(of: refresh.statedEnd),
                    symbol: isAssumed ? "?" : "┃",
                    name: isAssumed ? "refresh token ends (assumed)" : "refresh token ends",
                    style: .warning
                )
            )
        }
        return signs
    }

    private var times: [(place: Int, text: String)] {
        let seconds = window.seconds * Self.distance
        let step = Self.steps.first { Double($0) >= seconds } ?? Self.steps[Self.steps.count - 1]
        let unit = step * 1_000_000_000
        // Columns may be longer than the unit's remainder: a time is in the column that holds it.
        let begin = window.first * window.column
        let end = (window.first + Int64(window.columns)) * window.column
        let first = (begin >= 0 ? (begin + unit - 1) / unit : begin / unit) * unit
        return stride(from: first, to: end, by: Int(unit)).map { time in
            let column =
                time >= 0 ? time / window.column : (time - window.column + 1) / window.column
            return (Int(column - window.first), text(at: window.start(of: column), step: step))
        }
    }

    private func text(at instant: Instant, step: Int64) -> String {
        let wall = LifelineClock(session: session, clock: clock).wall(at: instant)
        let time = clock.formatter.time(wall)
        if step >= 86_400 { return clock.formatter.day(wall) }
        if step < 60 { return time }
        return time == "00:00:00" ? clock.formatter.day(wall) : String(time.prefix(5))
    }
}

/// The time of the wall clock at instants of the past, before it was set too.
struct LifelineClock {
    let session: SessionSnapshot
    let clock: ViewClock

    func wall(at instant: Instant) -> Date {
        let wall = clock.shown.wallTime(at: instant)
        guard instant < clock.shown.now else { return wall }
        var set = 0.0
        for entry in session.history.entries.reversed() {
            if entry.at.now <= instant { break }
            if let seconds = (entry.kind as? WallClockStepped)?.seconds { set += seconds }
        }
        return wall.addingTimeInterval(-set)
    }
}
