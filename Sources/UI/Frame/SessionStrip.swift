import Basics
import Model

/// One cell for each of several sessions, the worst first: its name, its state and its time left.
struct SessionStrip {
    struct Cell {
        let id: SessionID
        /// The name that the cell shows.
        let name: String
        let isSelected: Bool
        let symbol: StateSymbol
        /// The state in a word or two.
        let word: String
        /// Whether there is no session, nor anything wrong with that.
        let isQuiet: Bool
        let urgency: Urgency
        /// The time until the access token may no longer be used, or `nil` if there is none.
        let timeLeft: String?

        var style: Style { isQuiet && urgency == .none ? .dim : urgency.style }

        init(id: SessionID, viewModel: ViewModel, isSelected: Bool, urgency: Urgency) {
            self.id = id
            self.isSelected = isSelected
            self.urgency = urgency
            let end: Instant?
            if viewModel.isObserved {
                let summary = ObservedSummary(of: viewModel)
                name = ObservedName.text(id, viewModel.session)
                symbol = summary.symbol
                word = summary.word
                isQuiet = summary.isQuiet
                end = viewModel.session.observed.status?.liveUntil
            } else {
                let state = viewModel.session.state
                name = id.description
                symbol = StateSymbol(of: state)
                word = state.word
                isQuiet = state.isQuiet
                end = state.hasUsableToken ? viewModel.usableUntil : nil
            }
            let left = end.map(viewModel.clock.left) ?? 0
            timeLeft = left > 0 ? DurationFormatter.counting(left) : nil
        }
    }

    /// The urgency of a session, the most urgent first.
    enum Urgency: Int, Comparable, CaseIterable {
        /// There is no token that may be used, or soon there will be none.
        case bad
        /// It may get better by itself.
        case warning
        case none

        init(_ viewModel: ViewModel) {
            switch StateSummary(of: viewModel).style {
            case .headerBad: self = .bad
            case .headerWarning: self = .warning
            default: self = ProblemText.lines(viewModel).isEmpty ? .none : .warning
            }
        }

        static func < (left: Urgency, right: Urgency) -> Bool { left.rawValue < right.rawValue }

        var style: Style {
            switch self {
            case .bad: .bad
            case .warning: .warning
            case .none: .good
            }
        }
    }

    /// A cell is at least so wide; where that is too wide for all, some are not shown.
    static let narrowest = 16
    /// The largest width of a cell, so that its parts stay together.
    static let widest = 36
    /// The number of columns from which the keys for selection are shown.
    private static let withKeys = 80
    private static let timeWidth = 9
    private static let wordWidth = 11

    private let sessions: [DashboardSession]
    /// The places of the sessions, the most urgent one first.
    private let places: [Int]
    private let selected: SessionID
    private let viewModel: (DashboardSession) -> ViewModel

    /// - Parameters:
    ///   - sessions: All that have a place.
    ///   - places: Their places, the most urgent one first, or `nil` to look at each.
    ///   - selected: The selected one.
    ///   - viewModel: Returns what a cell is drawn from, which costs more than to find its place.
    init(
        _ sessions: [DashboardSession],
        places: [Int]? = nil,
        selected: SessionID,
        viewModel: @escaping (DashboardSession) -> ViewModel
    ) {
        self.sessions = sessions
        self.places =
            places
            ?? Self.order(sessions.map { $0.glance?.urgency ?? Urgency(viewModel($0)) })
        self.selected = selected
        self.viewModel = viewModel
    }

    /// The places of sessions, the most urgent one first.
    static func order(_ urgencies: [Urgency]) -> [Int] {
        Urgency.allCases.flatMap { urgency in
            urgencies.indices.filter { urgencies[$0] == urgency }
        }
    }

    /// The sessions in the order of the strip.
    var ids: [SessionID] { places.map { sessions[$0].id } }

    func line(columns: Int, keys: KeyMap) -> Line {
        let hint = hint(columns: columns, keys: keys)
        let (shown, width) = shown(in: columns - hint.width - 1)
        let hidden = places.count - shown.count
        let more = hidden > 0 ? Line("+\(hidden) ", .dim) : Line()
        return Line.spread(row(shown.map(cell), of: width), more + hint, over: columns)
    }

    /// Returns the session whose cell is in a column, or `nil` if there is none.
    func session(at column: Int, columns: Int, keys: KeyMap) -> SessionID? {
        let room = columns - hint(columns: columns, keys: keys).width - 1
        let (shown, width) = shown(in: room)
        let place = column / max(1, width)
        return shown.indices.contains(place) ? shown[place].id : nil
    }

    private func hint(columns: Int, keys: KeyMap) -> Line {
        let previous = Line(keys.name(of: .previousSession), .key)
        let next = Line("\(keys.name(of: .nextSession)) ", .key)
        return columns < Self.withKeys ? Line() : previous + " " + next
    }

    /// Returns the sessions that there is room for, the most urgent ones and always the selected
    /// one, and the columns of the cell of each.
    private func shown(in room: Int) -> (sessions: [DashboardSession], width: Int) {
        let isWhole = places.count <= max(1, room / Self.narrowest)
        // What is not shown is counted beside the others.
        let room = isWhole ? room : room - 5
        let count = isWhole ? places.count : max(1, room / Self.narrowest)
        var shown = places.prefix(count).map { sessions[$0] }
        if !shown.contains(where: { $0.id == selected }),
            let chosen = sessions.first(where: { $0.id == selected })
        {
            shown = shown.dropLast() + [chosen]
        }
        return (shown, min(Self.widest, room / max(1, shown.count)))
    }

    private func cell(_ session: DashboardSession) -> Cell {
        let viewModel = viewModel(session)
        return Cell(
            id: session.id,
            viewModel: viewModel,
            isSelected: session.id == selected,
            urgency: session.glance?.urgency ?? Urgency(viewModel)
        )
    }

    /// All cells are of one width, so that nothing moves when a state changes.
    private func row(_ cells: [Cell], of width: Int) -> Line {
        let longest = cells.map { DisplayWidth.columns(of: $0.name) }.max() ?? 0
        // Mark, symbol and blanks besides; the last column keeps two cells apart.
        let isWide = longest + Self.wordWidth + 1 + Self.timeWidth + 6 <= width
        let beginning = Self.commonBeginning(cells.map(\.name))
        return cells.reduce(into: Line()) { line, cell in
            line += Self.line(cell, columns: width - 1, isWide: isWide, beginning) + Line(" ")
        }
    }

    /// The number of characters that several names have in common at their beginning; something is
    /// left of each.
    private static func commonBeginning(_ names: [String]) -> Int {
        guard names.count > 1, let first = names.first else { return 0 }
        return names.map { name in
            min(zip(first, name).prefix { $0 == $1 }.count, max(0, name.count - 1))
        }.min() ?? 0
    }

    /// Shortens a name; the part that distinguishes it from others is cut last.
    private static func shortened(_ name: String, _ beginning: Int, to columns: Int) -> String {
        guard DisplayWidth.columns(of: name) > columns, beginning > 0 else { return name }
        let rest = String(name.dropFirst(beginning))
        let room = columns - DisplayWidth.columns(of: rest) - 1
        guard room >= 0 else { return rest }
        var kept = String(name.prefix(beginning))
        while DisplayWidth.columns(of: kept) > room { kept.removeLast() }
        return "\(kept)…\(rest)"
    }

    private static func line(
        _ cell: Cell,
        columns: Int,
        isWide: Bool,
        _ beginning: Int
    ) -> Line {
        let mark = Line(cell.isSelected ? "▸" : " ", .focus)
        let style = cell.style
        let head = mark + Line("\(cell.symbol.rawValue) ", style)
        let time = DurationFormatter.flushRight(cell.timeLeft ?? "", to: timeWidth)
        var tail =
            isWide
            ? Line(cell.word).fitted(to: wordWidth) + Line(" \(time)")
            : Line(cell.timeLeft ?? cell.word)
        // The symbol also shows the state; only this text shows the name.
        let rest = columns - head.width - DisplayWidth.columns(of: cell.name) - 1
        if rest >= 0, rest < tail.width { tail = Line() }
        let room = max(1, columns - head.width - tail.width - 1)
        let text = shortened(cell.name, beginning, to: room)
        let name = Line(text, cell.isSelected ? .focus : .plain)
        return head + name.fitted(to: room) + Line(" ") + tail.styled(style)
    }
}

extension SessionState {
    /// The state in a word or two, at most eleven columns.
    var word: String {
        switch self {
        case .cold: "starting"
        case .vaultUnavailable: "vault"
        case .signedOut: "signed out"
        case .signingIn: "logging in"
        case .fresh: "fresh"
        case .renewing: "renewing"
        case .retrying: "retrying"
        case .blocked: "waiting"
        case .expired: "expired"
        case .unknown(let outlook):
            switch outlook.failure.missingAnswer {
            case .unrecorded: "no answer"
            case .unusable: MissingAnswerText.short
            case .lost, .discarded, nil: MissingAnswerText.lost
            }
        case .draining: "ending"
        case .signingOut: "logging out"
        }
    }

    /// Whether there is a usable access token.
    fileprivate var hasUsableToken: Bool {
        switch self {
        case .fresh, .renewing, .retrying, .unknown, .draining: true
        case .cold, .vaultUnavailable, .signedOut, .signingIn, .blocked, .expired, .signingOut:
            false
        }
    }

    /// Whether there is no session, nor anything wrong with that.
    fileprivate var isQuiet: Bool {
        switch self {
        case .cold, .signedOut, .signingIn, .signingOut: true
        default: false
        }
    }
}
