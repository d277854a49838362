/// The last row: what the keys do here.
enum HintLine {
    /// A command that the row names.
    private struct Hint {
        let command: KeyCommand
        let line: Line
    }

    static func line(mode: KeyMode, viewModel: ViewModel, columns: Int) -> Line {
        line(
            hints(mode, viewModel, areLasting: false).lazy.map(\.line),
            lasting: lasting(mode: mode, viewModel: viewModel),
            columns: columns
        )
    }

    static func line(_ hints: some Sequence<Line>, lasting: Line, columns: Int) -> Line {
        let line = fitting(hints, beside: lasting, columns: columns)
            .reduce(into: Line()) { $0 += Line(" ") + $1 + Line(" ") }
        return lasting.isEmpty ? line : Line.spread(line, lasting, over: columns)
    }

    /// As many hints as there is room for beside those that are always there.
    private static func fitting(
        _ hints: some Sequence<Line>,
        beside lasting: Line,
        columns: Int
    ) -> [Line] {
        var fitting: [Line] = []
        var width = 0
        for hint in hints {
            guard width + 1 + hint.width + lasting.width + 2 <= columns else { break }
            fitting.append(hint)
            width += hint.width + 2
        }
        return fitting
    }

    /// Returns the command that the row names in a column, or `nil` if there is none.
    ///
    /// - Parameters:
    ///   - column: The column, from 0.
    ///   - mode: Where keys go.
    ///   - viewModel: What the row was drawn from.
    ///   - columns: The columns of the row.
    ///   - areLastingOnly: Whether a notice is in the place of the others.
    /// - Returns: The command.
    static func command(
        at column: Int,
        mode: KeyMode,
        viewModel: ViewModel,
        columns: Int,
        areLastingOnly: Bool
    ) -> KeyCommand? {
        let lasting = Array(hints(mode, viewModel, areLasting: true))
        let right = self.lasting(lasting.map(\.line))
        let atRight = columns - right.width
        if column >= atRight { return command(at: column - atRight, among: lasting) }
        guard !areLastingOnly else { return nil }
        let others = Array(hints(mode, viewModel, areLasting: false))
        let shown = fitting(others.map(\.line), beside: right, columns: columns).count
        return command(at: column - 1, among: others.prefix(shown))
    }

    /// The command whose hint covers a column, of hints that are two columns apart.
    private static func command(at column: Int, among hints: some Sequence<Hint>) -> KeyCommand? {
        var start = 0
        for hint in hints {
            if (start..<start + hint.line.width).contains(column) { return hint.command }
            start += hint.line.width + 2
        }
        return nil
    }

    /// The keys to go back, to quit and to get help: always there where these keys are no text.
    static func lasting(mode: KeyMode, viewModel: ViewModel) -> Line {
        lasting(hints(mode, viewModel, areLasting: true).map(\.line))
    }

    static func lasting(_ hints: [Line]) -> Line {
        let line = hints.joined(by: Line("  "))
        return line.isEmpty ? line : line + Line(" ")
    }

    private static func hints(
        _ mode: KeyMode,
        _ viewModel: ViewModel,
        areLasting: Bool
    ) -> some Sequence<Hint> {
        let context = viewModel.keyContext
        return (areLasting ? KeyTable.lasting : KeyTable.hinted).lazy.filter { command in
            if viewModel.isObserved, command.isForOwnSession { return false }
            let isOfPanes = mode == .replay && command.scope == .screen
            return command.isHinted(in: mode) || isOfPanes && command.isHinted(in: .panes)
        }
        .compactMap { command in
            guard let hint = command.hint, let key = viewModel.keys.keys(of: command).first else {
                return nil
            }
            let isPossible = command.obstacle(in: context) == nil
            let name = Line(KeyText.name(key), isPossible ? .key : .dim)
            let words = Line(" \(hint.text(viewModel))", isPossible ? .plain : .dim)
            return Hint(command: command, line: name + words)
        }
    }
}
