import Basics
package import FoundationEssentials
import Model
package import Stores

/// The sessions of this machine on the screen, as a value.
package struct LocalScreen {
    /// What the user wants to do next.
    package enum Choice: Sendable, Hashable {
        case quit
        case watch(profile: String, baseURL: String?)
        case logIn(profile: String, baseURL: String?)
        case refresh(profile: String, baseURL: String?)
        case logOut(profile: String, baseURL: String?)
        case proxy
        case demo
    }

    private enum Page: Sendable, Hashable {
        case table
        case detail
        case guide(LocalGuide)
    }

    private static let findingRows = 8

    package var sessions = LocalSessions()
    /// Authtop's own sessions, and the profiles without one.
    package var own: [LocalRow] = []
    /// The places that were looked at, by the names of their programs.
    private let titles: [String]
    private let text: StoreText
    private let clock: ClockFormatter
    private var selected: String?
    private var page = Page.table
    private var scroll = 0

    package init(titles: [String], clock: ClockFormatter, home: String?) {
        self.titles = titles
        self.clock = clock
        text = StoreText(clock: clock, home: home)
    }

    private func rows(at now: Date) -> [LocalRow] {
        let stored = sessions.ordered(at: now).map { LocalRow(.stored($0, isOwn: false)) }
        return own + stored + sessions.problems.map { LocalRow(.problem($0)) }
    }

    private func index(in rows: [LocalRow]) -> Int {
        rows.firstIndex { $0.id == selected } ?? 0
    }

    // MARK: - Keys

    /// Applies a key.
    ///
    /// - Returns: What the user chose, or `nil` if the screen stays.
    package mutating func press(_ key: Key, at now: Date) -> Choice? {
        let rows = rows(at: now)
        let row = rows.isEmpty ? nil : rows[index(in: rows)]
        switch key {
        case .control("c"): return .quit
        case "q": return .quit
        case .escape, .left:
            page = .table
            scroll = 0
        case .up, "k": move(-1, rows)
        case .down, "j": move(1, rows)
        case .pageUp: move(-10, rows)
        case .pageDown: move(10, rows)
        case .enter, .right:
            if page == .table, row != nil { page = .detail }
            scroll = 0
        case "a": return .proxy
        case "b": show(.backend)
        case "c": show(.pipeline)
        case "d": return .demo
        case "w": return row.flatMap { choice($0) { .watch(profile: $0, baseURL: $1) } }
        case "o": return row.flatMap { choice($0) { .logIn(profile: $0, baseURL: $1) } }
        case "r": return row.flatMap { choice($0) { .refresh(profile: $0, baseURL: $1) } }
        case "l": return row.flatMap { choice($0) { .logOut(profile: $0, baseURL: $1) } }
        default: break
        }
        return nil
    }

    private func choice(
        _ row: LocalRow,
        _ make: (String, String?) -> Choice
    ) -> Choice? {
        row.profile.map { make($0, row.baseURL) }
    }

    private mutating func show(_ guide: LocalGuide) {
        page = .guide(guide)
        scroll = 0
    }

    private mutating func move(_ step: Int, _ rows: [LocalRow]) {
        guard page == .table else { return scroll = max(0, scroll + step) }
        guard !rows.isEmpty else { return }
        let next = max(0, min(index(in: rows) + step, rows.count - 1))
        selected = rows[next].id
    }

    // MARK: - Drawing

    /// Draws the screen; the scroll is limited to what there is.
    package mutating func render(columns: Int, rows count: Int, at now: Date) -> Grid {
        var grid = Grid(columns: columns, rows: count)
        let whole = Area(columns: columns, rows: count)
        let rows = rows(at: now)
        let clockLine = Line("\(clock.time(now)) ", .plain)
        grid.write(
            Line.spread(head(rows, now, columns), clockLine, over: columns),
            in: whole,
            row: 0
        )
        let room = max(0, count - 3)
        let body = Area(row: 2, columns: columns, rows: room)
        switch page {
        case .table where rows.isEmpty: grid.write(empty(columns), in: body)
        case .table: grid.write(table(rows, columns, room, now), in: body)
        case .detail: scrolled(detail(rows, now), in: body, on: &grid)
        case .guide(let guide): scrolled(guide.document, in: body, on: &grid)
        }
        grid.write(hints(rows, columns), in: whole, row: count - 1)
        return grid
    }

    /// When the screen changes without input.
    package func nextChange(after now: Date) -> Date? {
        let isCounting = rows(at: now).contains { row in
            guard case .stored(let entry, _) = row.kind else { return false }
            let session = entry.session
            return [session.access, session.refresh, session.idToken]
                .contains { $0?.end.map { $0 > now } ?? false }
        }
        let next = now.timeIntervalSince1970.rounded(.down) + 1
        return isCounting ? Date(timeIntervalSince1970: next) : nil
    }

    private func head(_ rows: [LocalRow], _ now: Date, _ columns: Int) -> Line {
        let states = rows.compactMap { row -> StoredSession.State? in
            if case .stored(let entry, _) = row.kind { entry.session.state(at: now) } else { nil }
        }
        let dot = Line(" · ", .dim)
        let parts: [Line] = [
            Line(CountFormatter.count(states.count, "session"), .strong)
                + Line(" on this machine", .plain),
            count(states, .ending, "ending soon", .warning),
            count(states, .ended, "ended", .bad),
            sessions.dropped > 0 ? Line("\(sessions.dropped) more not shown", .warning) : Line(),
        ]
        let program = Line(" authtop  ", .dim)
        return Line.first(
            of: [program + parts.joined(by: dot), Line(" ") + parts.joined(by: dot)],
            fitting: columns - 10
        )
    }

    private func count(
        _ states: [StoredSession.State],
        _ state: StoredSession.State,
        _ word: String,
        _ style: Style
    ) -> Line {
        let count = states.count { $0 == state }
        return count == 0 ? Line() : Line("\(count) \(word)", style)
    }

    private func table(
        _ rows: [LocalRow],
        _ columns: Int,
        _ room: Int,
        _ now: Date
    ) -> [Line] {
        let findings = findingLines(now, columns, rows: max(2, room / 2 - 1))
        let below = findings.isEmpty ? 0 : findings.count + 1
        let height = max(1, room - below - 1)
        let place = index(in: rows)
        let first = max(0, min(place - height / 2, rows.count - height))
        let shown = rows[first..<min(rows.count, first + height)]
        let table = LocalTable(rows, columns: columns, at: now, text: text)
        var lines = [table.heading]
        for (offset, row) in shown.enumerated() {
            lines.append(table.line(row, isSelected: first + offset == place))
        }
        guard below > 0 else { return lines }
        let gap = max(1, min(height - shown.count, 1))
        return lines + Array(repeating: Line(), count: gap) + findings
    }

    private var byID: [StoredSession.ID: StoredSession] {
        sessions.entries.mapValues(\.session)
    }

    /// What is wrong, the worst first, as far as there is room for whole sentences.
    private func findingLines(_ now: Date, _ columns: Int, rows: Int) -> [Line] {
        let byID = byID
        let crowded = sessions.crowdedFolders.map {
            Line(" · \(text.path($0)) has too many entries: not all were looked at", .dim)
        }
        let all = (sessions.findings(at: now).map { line($0, byID) } + crowded).map {
            $0.wrapped(to: columns, indent: 3)
        }
        let limit = min(rows, Self.findingRows)
        var lines: [Line] = []
        for (number, one) in all.enumerated() {
            let isLast = number == all.count - 1
            guard lines.count + one.count + (isLast ? 0 : 1) <= limit else {
                let rest = all.count - number
                return lines + [Line("   \(rest) more: Enter on a session shows its own", .dim)]
            }
            lines += one
        }
        return lines
    }

    private func line(
        _ finding: StoreFinding,
        _ sessions: [StoredSession.ID: StoredSession]
    ) -> Line {
        let style = FindingText.style(finding.severity)
        let likely = finding.confidence == .likely ? Line(" (likely)", .dim) : Line()
        return Line(" \(FindingText.symbol(finding.severity)) ", style)
            + Line(text.text(finding, in: sessions)) + likely
    }

    private func detail(_ rows: [LocalRow], _ now: Date) -> Document {
        guard !rows.isEmpty else { return Document(title: "") }
        let row = rows[index(in: rows)]
        var document = Document(title: row.title)
        switch row.kind {
        case .profile(let name, let place, let problem):
            document.addHeading(name)
            if !place.isEmpty { document.add("backend", place) }
            if let problem { document.add("problem", problem, .warning) }
            if problem == nil { document.add("session", "none yet: w watches it, and logs in") }
        case .problem(let file):
            document.addHeading(file.title)
            document.add("file", text.path(file.path))
            document.add("problem", file.problem.map(StoreText.text) ?? "", .warning)
        case .stored(let entry, let isOwn):
            add(entry, isOwn: isOwn, now, to: &document)
        }
        return document
    }

    private func add(
        _ entry: LocalSessions.Entry,
        isOwn: Bool,
        _ now: Date,
        to document: inout Document
    ) {
        let session = entry.session
        let state = session.state(at: now)
        document.addHeading(StoreText.name(session))
        document.add("state", Line(StoreText.word(state), StoreText.style(state)))
        document.add("", StoreText.prospect(session, at: now))
        if let issuer = session.issuer { document.add("server", issuer) }
        if let client = session.client { document.add("client", client) }
        document.add("file", text.path(session.id.file))
        if let facts = entry.facts {
            let mode = String(facts.mode, radix: 8)
            document.add("written", "\(text.when(facts.modified, now)), mode 0\(mode)")
        }
        for (name, token) in [
            ("Access token", session.access), ("Refresh token", session.refresh),
            ("ID token", session.idToken),
        ] {
            guard let token else { continue }
            document.addHeading(name)
            add(token, now, to: &document)
        }
        let found = sessions.findings(at: now).filter { $0.sessions.contains(session.id) }
        if !found.isEmpty { document.addHeading("What is wrong") }
        let byID = byID
        for finding in found {
            document.add(line(finding, byID))
            document.add(Line("   → \(text.remedy(finding, in: byID))", .dim))
        }
        guard !isOwn else { return }
        document.addHeading("The file since the start")
        if entry.forgotten > 0 {
            document.add(Line("\(entry.forgotten) older changes are not kept", .dim))
        }
        for change in entry.history.reversed() { document.add(text.text(change, now)) }
    }

    private func add(_ token: StoredToken, _ now: Date, to document: inout Document) {
        let kind = token.claims == nil ? "opaque" : "JWT"
        let size = token.size > 0 ? ", \(CountFormatter.count(token.size, "byte"))" : ""
        document.add(
            "token",
            Line(token.fingerprint.description, .identity) + Line(" \(kind)\(size)")
        )
        let left = StoreText.left(token, at: now) ?? ""
        let end = token.end.map {
            "\(text.when($0, now)), \(left == "ended" ? left : "in \(left)")"
        }
        document.add("ends", end ?? "nothing says when")
        if let stated = token.statedEnd, let own = token.claims?.expiresAt,
            abs(stated.timeIntervalSince(own)) > 5
        {
            document.add(
                "",
                "the file says \(text.when(stated, now)), the token itself \(text.when(own, now))"
            )
        }
        guard let claims = token.claims else { return }
        if let issued = claims.issuedAt { document.add("issued", text.when(issued, now)) }
        for (name, value) in [
            ("issuer", claims.issuer), ("subject", claims.subject), ("audience", claims.audience),
            ("scope", claims.scope),
        ] {
            if let value { document.add(name, value) }
        }
    }

    private mutating func scrolled(_ document: Document, in area: Area, on grid: inout Grid) {
        let inner = area.inset(columns: 1, rows: 0)
        let lines = document.rows(columns: inner.columns)
        scroll = max(0, min(scroll, lines.count - inner.rows))
        grid.write(Array(lines.dropFirst(scroll)), in: inner)
    }

    // MARK: - Nothing found, and hints

    private func empty(_ columns: Int) -> [Line] {
        let looked = Line(" Looked for sessions of \(titles.joined(separator: ", ")).", .dim)
        let doors: [Line] = LocalGuide.doors.map { key, name, what in
            Line("   \(key)", .key) + Line("  ") + Line(name, .strong).fitted(to: 14)
                + Line(what, .plain)
        }
        return [
            Line(" No session of a program was found. What do you want to see?", .title), Line(),
        ] + doors.flatMap { $0.wrapped(to: columns - 1, indent: 20) } + [Line()]
            + looked.wrapped(to: columns - 1, indent: 1) + [
                Line(" Another place: a file in ~/.config/authtop/stores/", .dim)
            ]
    }

    private func hints(_ rows: [LocalRow], _ columns: Int) -> Line {
        func hint(_ key: String, _ word: String) -> Line {
            Line(" \(key)", .key) + Line(" \(word) ", .plain)
        }
        let quit = hint("q", "quit")
        guard page == .table else {
            return Line.spread(hint("↑ ↓", "scroll") + hint("Esc", "back"), quit, over: columns)
        }
        let isOwn = rows.isEmpty ? false : rows[index(in: rows)].profile != nil
        let own =
            isOwn
            ? hint("w", "watch") + hint("o", "log in") + hint("r", "refresh")
                + hint("l", "log out") : Line()
        let list = rows.isEmpty ? Line() : hint("↑ ↓", "select") + hint("Enter", "details")
        let doors =
            hint("a", "my app") + hint("b", "my backend") + hint("c", "my CI") + hint("d", "demo")
        let left = Line.first(
            of: [list + own + doors, own.isEmpty ? list + doors : list + own, list],
            fitting: columns - quit.width
        )
        return Line.spread(left, quit, over: columns)
    }
}
