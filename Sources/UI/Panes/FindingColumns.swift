import Basics
import Model

/// The columns of the findings' list: what is short in columns, and the message over the rest of the
/// rows.
struct FindingColumns {
    private let columns: Int
    private let hasSession: Bool

    private static let sessionWidth = 9
    private static let timeWidth = 10
    private static let indent = 4

    private var isWide: Bool { columns >= 100 }

    /// Of the rule and the number of times, or `nil` where they take what they need.
    private var ruleWidth: Int? { isWide ? 24 : columns >= 70 ? 21 : nil }

    init(columns: Int, hasSession: Bool) {
        self.columns = columns
        self.hasSession = hasSession && columns >= 70
    }

    var heading: Line {
        guard ruleWidth != nil else {
            return Line("   finding and what happened", .dim).limited(to: columns)
        }
        var line = Line("   ") + cell(Line("finding"), ruleWidth)
        if hasSession { line += cell(Line("session"), Self.sessionWidth) }
        if isWide { line += cell(Line("last"), Self.timeWidth) }
        return (line + Line("what happened")).styled(.dim).limited(to: columns)
    }

    /// As many lines as there are rows: the message is under its own beginning if there is room for it,
    /// and otherwise has the whole of the lines after the first.
    func lines(of entry: LoggedFinding, _ viewModel: ViewModel, rows limit: Int) -> [Line] {
        let finding = entry.finding
        let style = FindingText.style(finding.severity)
        let doubt = finding.confidence == .likely ? "≈" : " "
        let count = finding.count > 1 ? Line(" ×\(finding.count)", .dim) : Line()
        var head = Line("\(FindingText.symbol(finding.severity))\(doubt) ", style)
        head += cell(Line(finding.rule, style) + count, ruleWidth)
        if hasSession {
            head += cell(Line(entry.session.description, .identity), Self.sessionWidth)
        }
        if isWide {
            let time = viewModel.clock.formatter.time(finding.lastAt.wall)
            head += cell(Line(time, .dim), Self.timeWidth)
        }
        let line = head + Line(finding.message)
        let beside = line.wrapped(to: columns, indent: head.width)
        let lines = beside.count <= limit ? beside : line.wrapped(to: columns, indent: Self.indent)
        let blank = Array(repeating: Line(), count: max(0, limit - lines.count))
        return lines.limited(to: limit, columns) + blank
    }

    /// A column of a width, or of more rather than that anything is cut; its last one is blank.
    private func cell(_ line: Line, _ width: Int?) -> Line {
        let blanks = width.map { max(1, $0 - line.width) } ?? 2
        return line + Line(String(repeating: " ", count: blanks))
    }
}
