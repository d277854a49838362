package import FoundationEssentials
import Stores

extension LocalScreen {
    private static let findingRows = 8

    /// Draws the screen; the scroll is limited to what there is.
    package mutating func render(columns: Int, rows count: Int, at now: Date) -> Grid {
        arrange(at: now)
        var grid = Grid(columns: columns, rows: count)
        let whole = Area(columns: columns, rows: count)
        let clockLine = Line("\(clock.time(now)) ", .plain)
        grid.write(Line.spread(head(columns), clockLine, over: columns), in: whole, row: 0)
        let room = max(0, count - 3)
        let body = Area(row: 2, columns: columns, rows: room)
        let above: Line
        switch page {
        case .table where !hasRows:
            above = Line()
            grid.write(empty(columns, rows: room), in: body)
        case .table:
            let findings = findingLines(columns, rows: max(2, room / 2 - 1))
            height = max(1, room - (findings.isEmpty ? 0 : findings.count + 1) - 1)
            above = position
            grid.write(tableLines(columns) + findings, in: body)
        case .detail, .guide, .help:
            height = room
            above = scrolled(document, in: body, on: &grid)
        }
        grid.write(Line.spread(Line(), above, over: columns), in: whole, row: 1)
        drawPalette(in: Area(row: 1, columns: columns, rows: max(0, count - 2)), on: &grid)
        let bottom = bottom(columns, rows: count)
        let first = max(0, count - bottom.count)
        grid.write(bottom, in: Area(row: first, columns: columns, rows: bottom.count))
        return grid
    }

    /// The filter that is being written, a notice, or the keys.
    private func bottom(_ columns: Int, rows: Int) -> [Line] {
        if let prompt { return prompt.lines(columns: columns, keys: keys) }
        return notice?.lines(beside: lastingHints, columns: columns, rows: rows / 3)
            ?? [hints(columns: columns)]
    }

    private var document: Document {
        switch page {
        case .table: Document(title: "")
        case .detail:
            selected.map {
                LocalDetail(
                    sessions: sessions,
                    findings: arrangement?.findings ?? [],
                    now: now,
                    text: text,
                    keys: keys
                )
                .document($0)
            } ?? Document(title: "", lines: [Line("The session is no longer there.", .dim)])
        case .guide(let guide): guide.document
        case .help: help
        }
    }

    private var help: Document {
        var document = helpDocument
        var others = Document(title: "")
        others.addHeading("States")
        for state in StoredSession.State.allCases {
            let symbol = Line("\(StoreText.symbol(state).rawValue) ", StoreText.style(state))
            let word = Line(StoreText.word(state)).fitted(to: HelpText.keysWidth - 2)
            others.add(symbol + word + Line(StoreText.meaning(state)))
        }
        others.addHeading("Filter")
        HelpText.addFilter([("Sessions", LocalList.fields)], to: &others)
        document.aside = others.lines
        return document
    }

    /// When the screen changes without input: with the clock in its first row.
    package func nextChange(after now: Date) -> Date {
        Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down) + 1)
    }

    private func head(_ columns: Int) -> Line {
        let profiles = arrangement?.profiles ?? 0
        let files = arrangement?.problems ?? 0
        let dot = Line(" · ", .dim)
        let parts: [Line] = [
            Line(CountFormatter.count(arrangement?.sessions ?? 0, "session"), .strong)
                + Line(isWhole ? " on this machine" : " of \(chosen)", .plain),
            count(.ending, "ending soon", .warning),
            count(.ended, "ended", .bad),
            profiles > 0
                ? Line("\(CountFormatter.count(profiles, "profile")) without one", .dim) : Line(),
            files > 0
                ? Line("\(CountFormatter.count(files, "file")) not read", .warning) : Line(),
            sessions.dropped > 0 ? Line("\(sessions.dropped) more not shown", .warning) : Line(),
        ]
        let program = Line(" authtop  ", .dim)
        return Line.first(
            of: [program + parts.joined(by: dot), Line(" ") + parts.joined(by: dot)],
            fitting: columns - 10
        )
    }

    /// The program that the user has chosen, or the number of programs.
    private var chosen: String {
        titles.count == 1 ? titles[0] : CountFormatter.count(titles.count, "program")
    }

    private func count(_ state: StoredSession.State, _ word: String, _ style: Style) -> Line {
        arrangement?.states[state].map { Line("\($0) \(word)", style) } ?? Line()
    }

    private mutating func tableLines(_ columns: Int) -> [Line] {
        let table = table(columns: columns)
        let lines = window.visible.enumerated().map { offset, entry in
            table.line(entry.row, at: now, isSelected: window.top + offset == window.cursor ?? 0)
        }
        let none = list.filter.linesForNothing(among: LocalList.fields).map { Line("    ") + $0 }
        return [table.heading] + (window.count == 0 ? none : lines) + [Line()]
    }

    /// The filter, what is below the picture, and the order.
    private var position: Line {
        let order = Line("by \(list.order.rawValue)", .dim)
        let filter =
            list.filter.isEmpty
            ? Line()
            : list.filter.line(matching: window.count, of: arrangement?.entries.count ?? 0)
        let below = window.count - window.top - window.visible.count
        let rest = below > 0 ? Line("\(below) more below", .dim) : Line()
        return [filter, rest, order].joined(by: Line(" · ", .dim)) + Line(" ")
    }

    /// The findings, the worst first, as far as there is room for whole sentences.
    private func findingLines(_ columns: Int, rows: Int) -> [Line] {
        let findings = arrangement?.findings ?? []
        let places = sessions.crowdedPlaces
        let count = findings.count + places.count
        let limit = min(rows, Self.findingRows)
        var lines: [Line] = []
        for number in 0..<count {
            let line =
                number < findings.count
                ? text.line(findings[number], in: sessions, at: now)
                : Line(
                    " · \(text.path(places[number - findings.count])) has too many entries: "
                        + "not all were looked at",
                    .dim
                )
            let one = line.wrapped(to: columns, indent: 3)
            let isLast = number == count - 1
            guard lines.count + one.count + (isLast ? 0 : 1) <= limit else {
                let rest = count - number
                let key = keys.name(of: KeyCommand.openDetail)
                return lines + [Line("   \(rest) more: \(key) on a session shows its own", .dim)]
            }
            lines += one
        }
        return lines
    }

    /// Draws a text, and returns what to say above it of the lines below.
    private mutating func scrolled(
        _ document: Document,
        in area: Area,
        on grid: inout Grid
    ) -> Line {
        let inner = area.inset(columns: 1, rows: 0)
        let lines = document.rows(columns: inner.columns)
        scroll = max(0, min(scroll, lines.count - inner.rows))
        grid.write(Array(lines.dropFirst(scroll)), in: inner)
        let below = lines.count - scroll - inner.rows
        return below > 0 ? Line("\(below) more below ", .dim) : Line()
    }

    private func empty(_ columns: Int, rows: Int) -> [Line] {
        let doors: [Line] = Self.doors.map { door in
            Line("   \(keys.name(of: door))", .key) + Line("  ")
                + Line(door.hint(self) ?? "", .strong).fitted(to: 14) + Line(door.help)
        }
        let ways =
            [
                Line(" No session of a program was found. What do you want to see?", .title),
                Line(),
            ] + doors.flatMap { $0.wrapped(to: columns - 1, indent: 20) } + [Line()]
        let own = Line(" To look elsewhere: a file in ~/.config/authtop/stores/", .dim)
            .wrapped(to: columns - 1, indent: 1)
        func looked(for programs: String) -> [Line] {
            Line(" Looked for sessions of \(programs).", .dim)
                .wrapped(to: columns - 1, indent: 1) + own
        }
        let all = looked(for: titles.joined(separator: ", "))
        return ways
            + (ways.count + all.count <= rows
                ? all : looked(for: CountFormatter.count(titles.count, "program")))
    }
}
