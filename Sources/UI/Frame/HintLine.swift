/// The last row: what the keys do here.
enum HintLine {
    static func line(mode: KeyMode, viewModel: ViewModel, columns: Int) -> Line {
        line(
            hints(mode, viewModel, areLasting: false),
            lasting: lasting(mode: mode, viewModel: viewModel),
            columns: columns
        )
    }

    /// As many hints as there is room for beside those that are always there.
    static func line(_ hints: some Sequence<Line>, lasting: Line, columns: Int) -> Line {
        var line = Line()
        for hint in hints {
            let next = line + Line(" ") + hint
            guard next.width + lasting.width + 2 <= columns else { break }
            line = next + Line(" ")
        }
        return lasting.isEmpty ? line : Line.spread(line, lasting, over: columns)
    }

    /// The keys to go back, to quit and to get help: always there where these keys are no text.
    static func lasting(mode: KeyMode, viewModel: ViewModel) -> Line {
        lasting(Array(hints(mode, viewModel, areLasting: true)))
    }

    static func lasting(_ hints: [Line]) -> Line {
        let line = hints.joined(by: Line("  "))
        return line.isEmpty ? line : line + Line(" ")
    }

    private static func hints(
        _ mode: KeyMode,
        _ viewModel: ViewModel,
        areLasting: Bool
    ) -> some Sequence<Line> {
        let context = viewModel.keyContext
        return KeyTable.commands.lazy.filter { command in
            guard command.hint?.isLasting == areLasting else { return false }
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
            return name + Line(" \(hint.text(viewModel))", isPossible ? .plain : .dim)
        }
    }
}
