import Basics
package import FoundationEssentials
import Stores

/// The columns of the table of stored sessions; a column gives way before a name is cut.
package struct LocalTable {
    private enum Column: Int, CaseIterable {
        case state, account, access, refresh, written, place

        static let byWorth: [Column] = [.state, .access, .account, .refresh, .place, .written]

        var title: String {
            switch self {
            case .state: "state"
            case .account: "account"
            case .access: "access left"
            case .refresh: "refresh left"
            case .written: "written"
            case .place: "where"
            }
        }

        var least: Int {
            switch self {
            case .state: 12
            case .account: 14
            case .access: 13
            case .refresh: 14
            case .written: 14
            case .place: 18
            }
        }

        /// Where the room is limited.
        var widest: Int { self == .account ? 34 : self == .place ? 60 : least }
        var isNumber: Bool { self == .access || self == .refresh }
    }

    /// The mark of the selected row, a symbol and two blanks.
    private static let markWidth = 4
    private static let widestName = 18

    /// The width that it was made for, or `nil` if nothing is cut.
    let room: Int?
    private let text: StoreText
    private let nameWidth: Int
    private var widths: [(column: Column, width: Int)]

    /// - Parameters:
    ///   - sessions: The rows.
    ///   - room: The width, or `nil` if nothing is cut.
    ///   - text: The words.
    package init(_ sessions: [LocalRow], columns room: Int?, text: StoreText) {
        self.room = room
        self.text = text
        let names = sessions.map { DisplayWidth.columns(of: $0.title) }
        let widestName = room == nil ? Int.max : Self.widestName
        let nameWidth = min(max(names.max() ?? 0, 8), widestName) + 2
        self.nameWidth = nameWidth
        var left = room.map { $0 - Self.markWidth - nameWidth } ?? .max
        var kept: [Column: Int] = [:]
        for column in Column.byWorth {
            guard column.least <= left else { break }
            kept[column] = column.least
            left -= column.least
        }
        widths = []
        for column in [Column.account, .place] where kept[column] != nil {
            let wanted = sessions.map { row in
                DisplayWidth.columns(of: Self.plain(column, row, text)) + 2
            }
            let widest = room == nil ? Int.max : column.widest
            let most = min(widest, wanted.max() ?? column.least)
            let more = max(0, min(left, most - column.least))
            kept[column, default: 0] += more
            left -= more
        }
        widths = Column.allCases.compactMap { column in kept[column].map { (column, $0) } }
    }

    package var heading: Line {
        var line = Line("    ") + Line("session").fitted(to: nameWidth)
        for (column, width) in widths { line += cell(Line(column.title), column, width) }
        return line.styled(.dim)
    }

    package func line(_ row: LocalRow, at now: Date, isSelected: Bool) -> Line {
        var line = Line(isSelected ? "▸ " : "  ", .focus)
        line += row.symbol(at: now) + Line(" ")
        let name = Line(row.title, isSelected ? .focus : .plain)
        line += name.fitted(to: nameWidth - 2) + Line("  ")
        for (column, width) in widths {
            line += cell(value(column, row, now, width - 2), column, width)
        }
        return line
    }

    private func cell(_ line: Line, _ column: Column, _ width: Int) -> Line {
        line.fitted(to: width - 2, flushRight: column.isNumber) + Line("  ")
    }

    /// The last names of a path, which tell it from others, as far as there is room for whole ones.
    private func place(_ row: LocalRow, columns: Int) -> Line {
        let place = Self.plain(.place, row, text)
        guard row.isFile, DisplayWidth.columns(of: place) > columns else {
            return Line(place, .dim)
        }
        var shown: String?
        var rest = ""
        for name in place.parts(at: "/").reversed() {
            rest = "/\(name)\(rest)"
            guard shown == nil || DisplayWidth.columns(of: rest) < columns else { break }
            shown = "…\(rest)"
        }
        return Line(shown ?? place, .dim)
    }

    private func value(_ column: Column, _ row: LocalRow, _ now: Date, _ columns: Int) -> Line {
        switch row.kind {
        case .profile(_, _, let problem):
            guard column == .state else { return Line(Self.plain(column, row, text), .dim) }
            return Line(row.stateWord(at: now), problem == nil ? .dim : .warning)
        case .problem:
            switch column {
            case .state: return Line(row.stateWord(at: now), .warning)
            case .place: return place(row, columns: columns)
            case .account, .access, .refresh, .written:
                return Line(Self.plain(column, row, text), .dim)
            }
        case .stored(let entry, _):
            let session = entry.session
            let state = session.state(at: now)
            switch column {
            case .state: return Line(StoreText.word(state), StoreText.style(state))
            case .access, .refresh:
                let token = column == .access ? session.main : session.refresh
                let isEnded = token?.isEnded(at: now) ?? false
                let isDim = token?.end == nil
                let isWhole = column == .access && (token != nil || session.refresh == nil)
                let left =
                    isWhole ? StoreText.left(session, at: now) : StoreText.left(token, at: now)
                return Line(
                    left ?? "–",
                    isEnded ? state == .renewable ? .busy : .bad : isDim ? .dim : .plain
                )
            case .account: return Line(Self.plain(column, row, text))
            case .place: return place(row, columns: columns)
            case .written: return Line(entry.facts.map { text.when($0.modified, now) } ?? "–", .dim)
            }
        }
    }

    /// What does not depend on the time.
    private static func plain(_ column: Column, _ row: LocalRow, _ text: StoreText) -> String {
        switch (column, row.kind) {
        case (.place, _): row.place(text)
        case (.account, .profile(_, _, let problem)): problem ?? ""
        case (.account, .problem(let file)): file.problem.map(StoreText.text) ?? ""
        case (.account, .stored): row.account ?? "–"
        default: ""
        }
    }
}
