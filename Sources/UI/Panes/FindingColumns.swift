import Basics
import Model

/// The columns of the findings' list: what is short in columns, and the message beside them.
///
/// Where there is room, a message goes on under its own beginning, and otherwise under its rule; the
/// same in each row of a list.
struct FindingColumns {
    private let columns: Int
    private let hasSession: Bool
    private let hasTime: Bool
    /// Of the rule and the number of times, or `nil` where they take what they need.
    private let ruleWidth: Int?

    private static let sessionWidth = 9
    private static let timeWidth = 10
    private static let heading = "finding"
    /// The mark before a rule.
    private static let markWidth = 3
    /// The widths from which on there are columns, the time is among them, and a message goes on
    /// under its beginning.
    private static let (tabular, timed, aligned) = (70, 100, 110)
    /// The columns that two rows of a message may lose where they are broken.
    private static let broken = 12

    /// - Parameters:
    ///   - columns: The width of the list.
    ///   - hasSession: Whether it is said to which session a finding belongs.
    ///   - findings: All of the list: its longest rule and message are what room is for.
    init(columns: Int, hasSession: Bool, findings: [ObservedFinding]) {
        self.columns = columns
        self.hasSession = hasSession && columns >= Self.tabular
        let rules = findings.map { Self.rule($0).width } + [Self.heading.utf8.count]
        let width = (rules.max() ?? 0) + 2
        ruleWidth = columns >= Self.tabular ? width : nil
        let left =
            columns - Self.markWidth - width - (self.hasSession ? Self.sessionWidth : 0)
            - Self.timeWidth
        let longest = findings.map(\.message.utf8.count).max() ?? 0
        hasTime =
            columns >= Self.timed
            && (columns < Self.aligned || longest + Self.broken <= 2 * left)
    }

    var heading: Line {
        guard ruleWidth != nil else {
            return Line("   \(Self.heading) and what happened", .dim).limited(to: columns)
        }
        var line = Line("   ") + cell(Line(Self.heading), ruleWidth)
        if hasSession { line += cell(Line("session"), Self.sessionWidth) }
        if hasTime { line += cell(Line("last"), Self.timeWidth) }
        return (line + Line("what happened")).styled(.dim).limited(to: columns)
    }

    /// As many lines as there are rows.
    func lines(of entry: LoggedFinding, _ viewModel: ViewModel, rows limit: Int) -> [Line] {
        let finding = entry.finding
        let style = FindingText.style(finding.severity)
        let doubt = finding.confidence == .likely ? "≈" : " "
        var head = Line("\(FindingText.symbol(finding.severity))\(doubt) ", style)
        head += cell(Self.rule(finding), ruleWidth)
        if hasSession {
            head += cell(Line(entry.session.description, .identity), Self.sessionWidth)
        }
        if hasTime {
            let time = viewModel.clock.formatter.time(finding.lastAt.wall)
            head += cell(Line(time, .dim), Self.timeWidth)
        }
        let indent = columns < Self.aligned ? Self.markWidth : head.width
        let lines = (head + Line(finding.message)).wrapped(to: columns, indent: indent)
        let blank = Array(repeating: Line(), count: max(0, limit - lines.count))
        return lines.limited(to: limit, columns) + blank
    }

    /// `race ×2`.
    private static func rule(_ finding: ObservedFinding) -> Line {
        let count = finding.count > 1 ? Line(" ×\(finding.count)", .dim) : Line()
        return Line(finding.rule, FindingText.style(finding.severity)) + count
    }

    /// A column of a width, or of more rather than that anything is cut; its last one is blank.
    private func cell(_ line: Line, _ width: Int?) -> Line {
        let blanks = width.map { max(1, $0 - line.width) } ?? 2
        return line + .blank(blanks)
    }
}
