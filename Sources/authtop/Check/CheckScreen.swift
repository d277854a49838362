import Basics
import Observer
import UI

/// The screen of a check, as a value: the probes as rows, or the exchanges of one of them.
struct CheckScreen {
    /// What the user can leave it for.
    enum Choice: Sendable, Hashable {
        case report
    }

    /// Where the results begin.
    private static let resultColumn = 14

    let title: String
    var machine: CheckMachine
    /// Seconds since the start.
    var elapsed = 0.0
    let keys: KeyMap
    fileprivate var page = Page.probes
    private(set) var selection = 0
    /// The first line of a text that is shown.
    private var scroll = 0
    private var columns = 80
    /// The rows of the probes, or of a text, in the newest picture.
    private var height = 10
    /// Whether the user has stopped the check, whose sessions are being logged out.
    fileprivate(set) var isStopping = false
    var palette: Palette?

    fileprivate enum Page {
        case probes
        /// The exchanges of the selected probe.
        case exchanges
        case help
    }

    init(title: String, machine: CheckMachine, keys: KeyMap = .standard) {
        self.title = title
        self.machine = machine
        self.keys = keys
    }

    private var names: [ProbeName] { machine.plan.probes.map(\.name) }

    fileprivate mutating func open(_ page: Page) {
        self.page = page
        scroll = 0
    }

    fileprivate mutating func move(_ move: ListMove) {
        let last = max(0, (page == .probes ? names.count : text.count) - 1)
        let place = page == .probes ? selection : scroll
        let aim = move.rows(height: height).map { place + $0 } ?? (move == .start ? 0 : last)
        if page == .probes {
            selection = max(0, min(aim, last))
        } else {
            scroll = max(0, min(aim, last))
        }
    }

    private var exchanges: [CheckExchange] {
        guard names.indices.contains(selection) else { return [] }
        return machine.report.exchanges.filter { $0.probe == names[selection] }
    }

    mutating func render(columns: Int, rows: Int) -> Grid {
        self.columns = columns
        var grid = Grid(columns: columns, rows: rows)
        let whole = Area(columns: columns, rows: rows)
        let report = machine.report
        grid.write(head(report), in: whole, row: 0)
        let room = max(0, rows - 4)
        let body = Area(row: 3, columns: columns, rows: room)
        let probes = probeLines(report, rows: room)
        let above = max(0, min(selection + 1, probes.count) - room)
        let text = page == .probes ? [] : text
        scroll = max(0, min(scroll, text.count - room))
        height = max(1, room)
        let below =
            page == .probes ? probes.count - above - room : text.count - scroll - room
        let more = Line(below > 0 ? "\(below) more below " : "", .dim)
        grid.write(Line.spread(policy(report), more, over: columns), in: whole, row: 1)
        let lines = page == .probes ? probes.dropFirst(above) : text.dropFirst(scroll)
        grid.write(Array(lines), in: body)
        drawPalette(in: Area(row: 1, columns: columns, rows: max(0, rows - 2)), on: &grid)
        grid.write(hints(columns: columns), in: whole, row: rows - 1)
        return grid
    }

    private func head(_ report: CheckReport) -> Line {
        let left = max(0, machine.plan.seconds - elapsed)
        let spent = DurationText.text(elapsed, isCounting: !machine.isOver)
        let time =
            machine.isOver
            ? "done in \(spent)"
            : "\(spent), at most \(DurationText.text(left, isCounting: true)) left"
        let style: Style = machine.isOver ? .good : .busy
        if isStopping, !machine.isOver {
            let open = machine.openSessions
            let text = "stopping: \(open) \(open == 1 ? "session" : "sessions") to log out"
            return Line(" \(text)", .warning)
        }
        let whole = Line("\(time), \(CountFormatter.count(report.sent.requests, "request"))", style)
        let ways = [
            Line(" \(title)  ", .title) + whole, Line(" authtop check  ", .title) + whole,
            Line(" \(time)", style),
        ]
        return Line.first(of: ways, fitting: columns)
    }

    private func policy(_ report: CheckReport) -> Line {
        guard !report.policy.evidence.isEmpty || machine.isOver else {
            return Line(" policy: not known yet", .dim)
        }
        guard report.policy.isAskedFor else {
            return Line(" policy: \(CheckText.name(report.policy))", .dim)
        }
        let style: Style = report.policy.verdict == nil ? .warning : .strong
        return Line(" policy: ", .dim) + Line(CheckText.name(report.policy), style)
    }

    /// The results of the probes, from the first one on whole as far as all have a row.
    private func probeLines(_ report: CheckReport, rows: Int) -> [Line] {
        let lines = resultLines(report)
        var left = rows - lines.count
        return lines.flatMap { line in
            let whole = line.wrapped(to: columns, indent: Self.resultColumn)
            guard whole.count - 1 <= left else { return [line] }
            left -= whole.count - 1
            return whole
        }
    }

    private func resultLines(_ report: CheckReport) -> [Line] {
        let running = machine.running
        return names.enumerated().map { row, name in
            let label = " \(name.rawValue.padded(to: Self.resultColumn - 2))"
            let line: Line
            if let result = report.probes.first(where: { $0.name == name }) {
                line = self.line(label, result)
            } else if let probeSessions = running.first(where: { $0.probe == name })?.probeSessions
            {
                let over = probeSessions.filter(\.isComplete).count
                line = Line("◐\(label)", .busy) + Line("\(over) of \(probeSessions.count)", .busy)
            } else {
                line = Line("·\(label)", .dim)
            }
            return row == selection ? Line(line.text, .selected) : line
        }
    }

    private func line(_ label: String, _ result: ProbeResult) -> Line {
        let found = CheckText.found(result).joined(separator: "; ")
        switch result.state {
        case .done: return Line("●", .good) + Line(label) + Line(found)
        case .skipped: return Line("–\(label)\(found)", .dim)
        case .inconclusive: return Line("?", .warning) + Line("\(label)\(found)", .warning)
        }
    }

    /// The findings of the selected probe, whole, and its exchanges.
    private var details: [Line] {
        guard names.indices.contains(selection) else { return [] }
        let name = names[selection]
        let result = machine.report.probes.first { $0.name == name }
        let found = (result.map(CheckText.found) ?? []).flatMap {
            Line("  \($0)").wrapped(to: columns, indent: 2)
        }
        let shown = exchanges.flatMap {
            Line(ExchangeText.line($0), .dim).wrapped(to: columns, indent: 8)
        }
        let title = Line(" \(name.rawValue)", .title) + Line("  \(exchanges.count) exchanges", .dim)
        return [title] + found + (shown.isEmpty ? [Line("  none yet", .dim)] : shown)
    }

    /// What stands in place of the probes.
    private var text: [Line] {
        switch page {
        case .probes: []
        case .exchanges: details
        case .help: help(columns: columns)
        }
    }
}

extension CheckScreen: KeyedScreen {
    static let title = "The screen of authtop check"

    var pageMode: KeyMode { page == .probes ? .panes : .overlay }

    static let commands: [ScreenCommand<Self>] =
        moves + probes + actions + terminal + [showHelp]

    private static let actions: [ScreenCommand<Self>] = ScreenCommand.palette(
        in: [.panes, .overlay]
    )

    private static let showHelp = ScreenCommand<Self>(
        .help,
        in: [.panes, .overlay],
        hint: { _ in "help" },
        effect: showing { screen in screen.page == Page.help ? Page.probes : Page.help }
    )

    private static let moves: [ScreenCommand<Self>] = ScreenCommand.moves(
        in: [.panes, .overlay],
        hint: { $0.page == .probes ? "select" : "scroll" },
        effect: { $0.move($1) }
    )

    private static let probes: [ScreenCommand<Self>] = [
        ScreenCommand(
            .openDetail,
            or: [.right],
            in: [.panes],
            help: "show the exchanges of the selected probe",
            hint: { _ in "exchanges" },
            effect: showing { _ in Page.exchanges }
        ),
        ScreenCommand(
            .close,
            or: [.left],
            in: [.overlay],
            help: "back to the probes",
            hint: { _ in "back" },
            effect: showing { _ in Page.probes }
        ),
        stop(
            .quit,
            in: [.panes],
            help: "print the report; before the end, stop and log the check's sessions out, and "
                + "pressed again leave them"
        ),
        stop(
            .quitAtOnce,
            in: [.panes, .overlay, .palette],
            help: "stop, or print the report, from everywhere"
        ),
    ]

    private static let terminal: [ScreenCommand<Self>] = ScreenCommand.terminal(
        in: [.panes, .overlay, .palette]
    )

    private static func showing(
        _ page: @escaping @Sendable (Self) -> Page
    ) -> ScreenCommand<Self>.Effect {
        { screen in
            screen.open(page(screen))
            return nil
        }
    }

    /// A command that stops the check, and leaves it once it is over or being stopped.
    private static func stop(
        _ command: KeyCommand,
        in modes: Set<KeyMode>,
        help: String
    ) -> ScreenCommand<Self> {
        ScreenCommand(
            command,
            in: modes,
            help: help,
            hint: { screen in
                guard command.name != nil else { return nil }
                return screen.machine.isOver
                    ? "print the report" : screen.isStopping ? "leave them" : "stop"
            },
            effect: { screen in
                defer { screen.isStopping = true }
                return screen.isStopping || screen.machine.isOver ? .leave(.report) : nil
            }
        )
    }
}
