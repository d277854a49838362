import Basics
import Observer
import UI

/// The screen of a check, as a value: the probes as rows, or the exchanges of one of them.
struct CheckScreen {
    /// Where the results begin.
    private static let resultColumn = 14

    let title: String
    var machine: CheckMachine
    /// Seconds since the start.
    var elapsed = 0.0
    private(set) var selection = 0
    /// The first line of a probe's details that is shown, or `nil` while the probes are.
    private(set) var scroll: Int?
    private var columns = 80
    /// Whether the user has stopped the check, whose sessions are being logged out.
    private(set) var isStopping = false

    init(title: String, machine: CheckMachine) {
        self.title = title
        self.machine = machine
    }

    private var names: [ProbeName] { machine.plan.probes.map(\.name) }

    /// Applies a key; one without a command has no effect.
    mutating func press(_ key: Key) -> CheckKey.Outcome {
        Self.keys.first { $0.keys.contains(key) }?.press(&self) ?? .stay
    }

    private mutating func move(_ rows: Int) {
        if let scroll {
            self.scroll = max(0, min(scroll + rows, details.count - 1))
        } else {
            selection = max(0, min(selection + rows, names.count - 1))
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
        let below = scroll == nil ? probes.count - above - room : 0
        let more = Line(below > 0 ? "\(below) more below " : "", .dim)
        grid.write(Line.spread(policy(report), more, over: columns), in: whole, row: 1)
        let lines = scroll.map { details.dropFirst($0) } ?? probes.dropFirst(above)
        grid.write(Array(lines), in: body)
        grid.write(hints, in: whole, row: rows - 1)
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

    /// The keys that work now, with their words.
    private var hints: Line {
        var line = Line("")
        var rest = Self.keys[...]
        while let first = rest.popFirst() {
            let joined = rest.prefix { $0.joinsPrevious }
            rest = rest.dropFirst(joined.count)
            guard let words = first.hint(self) else { continue }
            let names = ([first] + joined).map(\.symbol).joined(separator: " ")
            let gap = line.text.isEmpty ? " " : "  "
            line = line + Line(gap, .dim) + Line(names, .key) + Line(" \(words)", .dim)
        }
        return line
    }
}

extension CheckScreen {
    /// Its keys, in the order of the last row and of the manual page.
    static let keys: [CheckKey] = [
        CheckKey(
            keys: [.up, "k"],
            hint: { $0.scroll == nil ? "select" : "scroll" },
            help: "to the probe above, or scroll up in its exchanges",
            press: { screen in
                screen.move(-1)
                return .stay
            }
        ),
        CheckKey(
            keys: [.down, "j"],
            help: "to the probe below, or scroll down",
            joinsPrevious: true,
            press: { screen in
                screen.move(1)
                return .stay
            }
        ),
        CheckKey(
            keys: [.enter, .right],
            hint: { $0.scroll == nil ? "exchanges" : nil },
            help: "show the exchanges of the selected probe",
            press: { screen in
                screen.scroll = screen.scroll ?? 0
                return .stay
            }
        ),
        CheckKey(
            keys: [.escape, .left],
            hint: { $0.scroll == nil ? nil : "back" },
            help: "back to the probes",
            press: { screen in
                screen.scroll = nil
                return .stay
            }
        ),
        CheckKey(
            keys: ["q", .control("c")],
            hint: { screen in
                guard screen.scroll == nil else { return nil }
                return screen.machine.isOver
                    ? "print the report" : screen.isStopping ? "leave them" : "stop"
            },
            help: "print the report; before the end, stop and log the check's sessions out, and "
                + "pressed again leave them",
            press: { screen in
                defer { screen.isStopping = true }
                return screen.isStopping || screen.machine.isOver ? .leave : .stay
            }
        ),
        CheckKey(keys: [.control("z")], help: "suspend", press: { _ in .suspend }),
    ]
}
