import Basics

/// The content of a locked screen, and nothing else: no account, no backend, no state.
struct LockScreen {
    /// Columns of the passphrase's bullets.
    private static let room = 34

    let lock: ScreenLock
    let clock: ViewClock
    let keys: KeyMap

    func draw(on grid: inout Grid) {
        let ways =
            grid.rows < lines.count ? [[Line("locked", .strong)], [prompt], remark, hints] : lines
        let lines = ways.map { Line.first(of: $0, fitting: grid.columns) }
        let top = max(0, (grid.rows - lines.count) / 2)
        for (index, line) in lines.prefix(grid.rows).enumerated() {
            let left = max(0, (grid.columns - line.width) / 2)
            let area = Area(
                column: left,
                row: top + index,
                columns: grid.columns - left,
                rows: 1
            )
            grid.write(line, in: area, row: 0)
        }
    }

    /// Each in several ways, the longest first.
    private var lines: [[Line]] {
        [
            [Line("authtop", .title)],
            [Line()],
            [Line("locked", .strong)],
            [Line()],
            [prompt],
            remark,
            [Line()],
            [
                Line("the session goes on underneath, and is renewed as before", .dim),
                Line("the session goes on underneath", .dim), Line(),
            ],
            hints,
        ]
    }

    private var prompt: Line {
        switch lock.opener {
        case .keyring:
            Line("\(keys.name(of: .unlock)) asks the keyring that has the vault's key")
        case .passphrase:
            Line("passphrase ", .dim)
                + FormRow.bullets(lock.typed.reveal().count, room: Self.room) + FormRow.cursor
        }
    }

    private var remark: [Line] {
        if lock.isChecking { return [Line("checking …", .busy)] }
        if let problem = lock.problem {
            return [Line(problem, .warning), Line("failed", .warning)]
        }
        guard lock.wrongTries > 0 else { return [Line()] }
        guard let until = lock.opensAgainAt, !clock.isOver(until) else {
            return [Line("wrong passphrase: try again", .warning), Line("wrong", .warning)]
        }
        let left = until.seconds(since: clock.exact.now).rounded(.up)
        let wait = DurationFormatter.counting(left)
        return [
            Line("wrong passphrase: next try in \(wait)", .warning), Line("wrong", .warning),
        ]
    }

    private var hints: [Line] {
        let open: Line = "\(keys.name(of: .unlock), .key) open"
        let clear: Line = "\(keys.name(of: .clearPassphrase), .key) clear"
        let quit: Line = "\(keys.name(of: .quitAtOnce), .key) quit"
        switch lock.opener {
        case .keyring: return ["\(open)    \(quit)", quit]
        case .passphrase: return ["\(open)    \(clear)    \(quit)", quit]
        }
    }
}
