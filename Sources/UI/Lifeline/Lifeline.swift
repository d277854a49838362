import Basics
import Model

/// A session on one time axis, as far as a window shows it: rows of cells, one for each column.
///
/// Of several events in a column, the worst is shown.
struct Lifeline: Sendable, Equatable {
    struct Cell: Sendable, Equatable {
        var symbol: Unicode.Scalar
        var style: Style

        init(_ symbol: Unicode.Scalar, _ style: Style) {
            self.symbol = symbol
            self.style = style
        }

        static let blank = Cell(" ", .plain)
    }

    let window: LifelineWindow
    /// The tokens of generations take turns on two lanes: `━` in use, `┄` not in use, not expired.
    private(set) var lanes: [[Cell]]
    private(set) var rows: [LifelineFact.Row: [Cell]]
    private(set) var axis: [Cell]

    /// - Parameters:
    ///   - session: The state of the session.
    ///   - window: The columns.
    ///   - clock: Names times.
    init(_ session: SessionSnapshot, window: LifelineWindow, clock: ViewClock) {
        self.window = window
        let blank = Array(repeating: Cell.blank, count: window.columns)
        lanes = [blank, blank]
        rows = Dictionary(uniqueKeysWithValues: LifelineFact.Row.allCases.map { ($0, blank) })
        axis = LifelineAxis(session: session, window: window, clock: clock).cells
        drawForgotten(session, clock)
        for generation in session.generations { draw(generation, session) }
        for socket in session.feed.sockets { draw(socket) }
        drawIntervals(of: session)
        drawMarks(of: session)
    }

    subscript(row: LifelineFact.Row) -> [Cell] { rows[row] ?? [] }

    // MARK: - Tokens

    private mutating func draw(_ generation: GenerationRecord, _ session: SessionSnapshot) {
        let isCurrent = generation.number == session.current?.number
        let life = TokenLife(generation, plan: isCurrent ? session.renewalPlan : nil, window)
        guard life.end >= window.first, life.start < window.first + Int64(window.columns) else {
            return
        }
        let lane = (generation.number - 1) % 2
        let from = max(life.start, window.first)
        let to = min(life.end, window.first + Int64(window.columns) - 1)
        guard from <= to else { return }
        let isDraining = isCurrent && session.drainsAt != nil
        for column in from...to {
            let place = Int(column - window.first)
            let before = lanes[lane][place]
            lanes[lane][place] = life.cell(
                in: column,
                over: before,
                window,
                isDraining
            )
        }
        let names = GenerationText(logins: session.login)
        let name = names.number(generation.generation, login: generation.login)
        let first = life.start >= window.first ? from + 1 : from
        guard first + Int64(name.unicodeScalars.count) <= to else { return }
        for (offset, digit) in name.unicodeScalars.enumerated() {
            lanes[lane][Int(first - window.first) + offset] = Cell(digit, .identity)
        }
    }

    // MARK: - Sockets

    private mutating func draw(_ socket: SocketRecord) {
        guard let opened = socket.openedAt?.now else { return }
        let end = socket.endedAt.map { window.column(ofPast: $0.now) } ?? window.now
        fill(.feed, from: window.column(ofPast: opened), to: end, with: Cell("━", .good))
    }

    // MARK: - Events

    private mutating func drawIntervals(of session: SessionSnapshot) {
        var pausedAt: [PauseCause: Int64] = [:]
        for entry in session.history.entries {
            let column = window.column(ofPast: entry.at.now)
            if let cause = (entry.kind as? RenewalPaused)?.by {
                pausedAt[cause] = pausedAt[cause] ?? column
            } else if let cause = (entry.kind as? RenewalResumed)?.by {
                guard let start = pausedAt.removeValue(forKey: cause) else { continue }
                fill(.events, from: start, to: column, with: Cell("╌", .busy))
            } else if let interruption = entry.kind as? Interruption {
                let start = window.column(ofPast: entry.at.now - interruption.duration)
                fill(.events, from: start, to: column, with: Cell("z", .dim))
            }
        }
        for (cause, start) in pausedAt where session.flags.pauses[cause] != nil {
            fill(.events, from: start, to: window.now, with: Cell("╌", .busy))
        }
    }

    private mutating func drawMarks(of session: SessionSnapshot) {
        let none = Array<LifelineMark?>(repeating: nil, count: window.columns)
        var worst = Array(repeating: none, count: LifelineFact.Row.allCases.count)
        LifelineFact.forEach(of: session) { fact in
            guard let place = window.place(of: window.column(ofPast: fact.at)) else { return }
            let before = worst[fact.row.rawValue][place]
            if before.map({ $0 < fact.mark }) ?? true {
                worst[fact.row.rawValue][place] = fact.mark
            }
        }
        for row in LifelineFact.Row.allCases {
            for (place, mark) in worst[row.rawValue].enumerated() {
                guard let mark, mark != .opened else { continue }
                rows[row]?[place] = Cell(mark.symbol, mark.style)
            }
        }
    }

    // MARK: - What is no longer kept

    private mutating func drawForgotten(_ session: SessionSnapshot, _ clock: ViewClock) {
        guard let start = session.firstEventAt.map({ window.column(of: $0.now) }) else { return }
        let horizons = LifelineHorizons(of: session)
        for row in LifelineFact.Row.allCases {
            rows[row]?.forget(from: start, until: horizons[row], window, clock)
        }
        for lane in lanes.indices {
            lanes[lane].forget(from: start, until: horizons.tokens, window, clock)
        }
    }

    private mutating func fill(
        _ row: LifelineFact.Row,
        from start: Int64,
        to end: Int64,
        with cell: Cell
    ) {
        let from = max(start, window.first)
        let to = min(end, window.first + Int64(window.columns) - 1)
        guard from <= to else { return }
        for column in from...to { rows[row]?[Int(column - window.first)] = cell }
    }
}

extension [Lifeline.Cell] {
    /// The symbols as text.
    var text: String { String(String.UnicodeScalarView(map(\.symbol))) }

    /// Shows that nothing is known of the time before a moment.
    fileprivate mutating func forget(
        from start: Int64,
        until horizon: Moment?,
        _ window: LifelineWindow,
        _ clock: ViewClock
    ) {
        guard let horizon else { return }
        let from = Swift.max(start, window.first)
        let end = window.first + Int64(window.columns)
        let to = Swift.min(window.column(of: horizon.now), end)
        guard from < to else { return }
        let first = Int(from - window.first)
        let count = Int(to - from)
        for place in first..<first + count { self[place] = Lifeline.Cell("░", .dim) }
        let text = " nothing kept before \(clock.when(horizon)) "
        let letters = text.unicodeScalars
        guard letters.count + 2 <= count else { return }
        for (offset, letter) in letters.enumerated() {
            self[first + count - letters.count - 1 + offset] = Lifeline.Cell(letter, .dim)
        }
    }
}

/// The moments before which no facts are kept, because a log is full; `nil` if nothing was dropped.
struct LifelineHorizons {
    let tokens: Moment?
    private let rows: [LifelineFact.Row: Moment]

    init(of session: SessionSnapshot) {
        tokens = session.generations.first.flatMap { $0.number > 1 ? $0.receivedAt : nil }
        let requests = session.requests
        let sockets = session.feed.sockets
        let events = session.history.entries
        rows = [
            .requests: requests.count >= requests.limit ? requests.first?.endedAt : nil,
            .feed: sockets.count >= sockets.limit ? sockets.first?.dialedAt : nil,
            .events: session.history.count > events.count ? events.first?.at : nil,
        ].compactMapValues(\.self)
    }

    subscript(row: LifelineFact.Row) -> Moment? { rows[row] }
}
