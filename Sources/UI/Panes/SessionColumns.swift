import Basics
import Model

/// The columns of the table of sessions; a column gives way before a name is cut.
struct SessionColumns {
    private enum Column: Int, CaseIterable {
        case state, left, generation, sent, refused, last, findings

        /// The more important ones stay longer.
        static let byWorth: [Column] = [
            .state, .left, .refused, .findings, .generation, .sent, .last,
        ]

        var title: String {
            switch self {
            case .state: "state"
            case .left: "token left"
            case .generation: "gen"
            case .sent: "sent"
            case .refused: "refused"
            case .last: "last sent"
            case .findings: "findings"
            }
        }

        var width: Int {
            switch self {
            case .state: 13
            case .left: 12
            case .generation: 6
            case .sent: 8
            case .refused: 9
            case .last: 12
            case .findings: 10
            }
        }
    }

    private let nameWidth: Int
    private let columns: [Column]

    private static let widestName = 48
    /// The newest sessions, after whose names the columns are cut to size.
    private static let measuredNames = 64
    /// The mark of the selected session, its symbol, and two blanks.
    private static let markWidth = 4

    init(_ viewModel: ViewModel, columns room: Int) {
        let names = viewModel.sessions.suffix(Self.measuredNames).map { session in
            viewModel.isObserved
                ? session.digest.nameColumns
                : DisplayWidth.columns(of: session.id.description)
        }
        let longest = min(max(names.max() ?? 0, 7), Self.widestName) + 2
        var left = room - Self.markWidth - longest
        var kept: Set<Column> = []
        for column in Column.byWorth where column != .findings || viewModel.isObserved {
            guard column.width <= left || column == .state else { break }
            left -= column.width
            kept.insert(column)
        }
        columns = Column.allCases.filter(kept.contains)
        nameWidth = max(8, min(longest, longest + left))
    }

    var heading: Line {
        var line = Line("    ") + Line("session").fitted(to: nameWidth)
        for column in columns { line += cell(Line(column.title), column) }
        return line.styled(.dim)
    }

    func line(_ session: SessionStrip.Cell, _ viewModel: ViewModel) -> Line {
        var line = Line(session.isSelected ? "▸ " : "  ", .focus)
        line += Line("\(session.symbol.rawValue) ", session.style)
        let name = Line(session.name, session.isSelected ? .focus : .plain)
        line += name.fitted(to: nameWidth - 2) + Line("  ")
        for column in columns {
            line += cell(text(column, session, viewModel), column)
        }
        return line
    }

    private func cell(_ line: Line, _ column: Column) -> Line {
        guard column != .state else { return line.fitted(to: column.width) }
        return line.fitted(to: column.width - 2, flushRight: true) + Line("  ")
    }

    private func text(
        _ column: Column,
        _ session: SessionStrip.Cell,
        _ viewModel: ViewModel
    ) -> Line {
        let snapshot = viewModel.session
        let counts = snapshot.requestCounts.exchanges
        switch column {
        case .state: return Line(session.word, session.style)
        case .left: return Line(session.timeLeft ?? "–")
        case .generation:
            return Line(
                snapshot.current.map {
                    viewModel.generations.number($0.generation, login: $0.login)
                } ?? "–"
            )
        case .sent: return Line(CountFormatter.grouped(counts.sent))
        case .refused:
            let style: Style = counts.refused > 0 ? .warning : .dim
            return Line(CountFormatter.grouped(counts.refused), style)
        case .last:
            return Line(
                snapshot.requests.last.map { viewModel.clock.formatter.time($0.startedAt.wall) }
                    ?? "–"
            )
        case .findings:
            let count = viewModel.book.findings.count { $0.session == session.id }
            return Line(CountFormatter.grouped(count), count > 0 ? .warning : .dim)
        }
    }
}
