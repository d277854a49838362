import Basics
import FoundationEssentials
import Model
import Profiles

/// The user's active sessions, one a row.
struct SessionsText {
    /// Rows above the first session.
    static let rowsAbove = 1
    private static let nameWidth = 18
    private static let timeWidth = 13

    let active: ActiveSessions
    let selected: Int
    let viewModel: ViewModel

    var document: Document {
        let user = viewModel.session.current?.pair.statements.displayName ?? "this user"
        var document = Document(title: "Active sessions of \(user)")
        document.indent = 2
        addList(to: &document)
        if let failure = active.problem {
            document.add(Line("⚠ \(CauseText().text(failure))", .warning))
        }
        if let listedAt = active.listedAt {
            document.add(Line())
            let count = active.list?.count ?? 0
            let more = count == Dialect.sessionsLimit ? " · more are not shown" : ""
            document.add(Line("as of \(viewModel.clock.when(listedAt))\(more)", .dim))
        }
        return document
    }

    private func addList(to document: inout Document) {
        guard viewModel.session.state.isLive else {
            return document.add(Line("signed out: no sessions to list", .dim))
        }
        guard let list = active.list else {
            if active.problem == nil { document.add(Line("asking the backend …", .busy)) }
            return
        }
        guard !list.isEmpty else { return document.add(Line("the backend lists none", .dim)) }
        let hasUse = list.contains { $0.lastUsedAt != nil }
        let width = nameWidth(list, hasUse: hasUse)
        var heading =
            Line("session").fitted(to: width + 1) + Line("began").fitted(to: Self.timeWidth)
        if hasUse { heading += Line("last used") }
        document.add(Line("  ") + heading.styled(.dim))
        for (index, session) in list.enumerated() {
            document.add(row(session, isSelected: index == selected, width, hasUse: hasUse))
        }
    }

    private func row(
        _ session: ListedSession,
        isSelected: Bool,
        _ width: Int,
        hasUse: Bool
    ) -> Line {
        let name = Line(session.name ?? session.id).fitted(to: width) + Line(" ")
        let began = Line(when(session.startedAt)).fitted(to: Self.timeWidth)
        var line = (isSelected ? Line("▸ ") : Line("  ")) + name + began
        if hasUse { line += Line(when(session.lastUsedAt)).fitted(to: Self.timeWidth) }
        if session.isCurrent == true { line += Line("this one", .good) }
        return isSelected ? line.styled(.selected) : line
    }

    /// Without the last use there is more room.
    private func nameWidth(_ list: [ListedSession], hasUse: Bool) -> Int {
        let widest = list.map { Line($0.name ?? $0.id).width }.max() ?? 0
        return min(max(widest, 7), Self.nameWidth + (hasUse ? 0 : Self.timeWidth))
    }

    private func when(_ seconds: Double?) -> String {
        guard let seconds else { return "–" }
        let date = Date(timeIntervalSince1970: seconds)
        return viewModel.clock.formatter.when(date, now: viewModel.clock.shown.wall)
    }
}
