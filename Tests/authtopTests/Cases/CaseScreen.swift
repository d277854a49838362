import Foundation

@testable import UI

/// A reader's view of a case, by its meaning and not by its position.
struct CaseScreen {
    private let lines: [[Character]]

    init(_ lines: [String]) {
        self.lines = lines.map(Array.init)
    }

    /// The header's second line: the state, and what is wrong or the generation.
    var headline: String {
        let symbols = Set(StateSymbol.allCases.map(\.rawValue))
        let first = lines.prefix(4).firstIndex { line in
            line.first { $0 != " " }.map { symbols.contains(String($0)) } ?? false
        }
        guard let first else { return "(none)" }
        // A long one goes on in rows that are indented; what is wrong may have rows of its own.
        let rows = lines[first...].map { String($0) }.prefix { !$0.contains("╭") }
        let text = rows.dropFirst().reduce(rows.first ?? "") { text, row in
            text + (row.hasPrefix("   ") ? " " : "  ") + row.trimmingSpaces
        }
        // A problem stands in the generation's place or below, as the time that is left has more or
        // fewer digits.
        let columns = Self.columns(text)
        return (columns.count > 2 ? columns.filter { !$0.hasPrefix("generation ") } : columns)
            .joined(separator: " | ")
    }

    /// The end of the last session, from the tokens' pane.
    var last: String { value("last", in: "Tokens") }
    var advice: String { value("advice", in: "Tokens") }
    /// The text of the expiry's pane about the next renewal.
    var renewal: String {
        let texts = [
            "renew", "next try", "too late", "held back", "nothing to expire", "last try",
        ]
        return pane("Expiry")?.rows.first { row in texts.contains(where: row.contains) } ?? ""
    }
    var requests: String { pane("Requests")?.count ?? "(none)" }
    var feed: String { pane("Feed")?.count ?? "(none)" }
    var feedState: String { pane("Feed")?.rows.first ?? "" }

    /// Everything on it, as one line each, for what is said anywhere.
    var texts: [String] {
        lines.map { String($0).replacing(/( 0|│) lost/, with: "") } + [last]
    }

    /// The first row of any pane that contains a text.
    func row(_ text: String) -> String {
        // Below the header.
        let cells = lines.dropFirst(2).lazy.flatMap { line in
            String(line).split(whereSeparator: { "│┃║".contains($0) }).map(String.init)
        }
        return cells.first { $0.contains(text) }.map { Self.columns($0).joined(separator: "  ") }
            ?? "(none)"
    }

    /// The overlay in front of the panes, title first, up to what differs from run to run.
    var overlay: [String] {
        for (row, line) in lines.enumerated() {
            for column in line.indices where line[column] == "╭" {
                let title = String(line[column...].dropFirst(3).prefix { $0 != "─" })
                    .trimmingSpaces
                let isPane = title.firstMatch(of: #/^▸?[0-9] /#) != nil
                guard !isPane, !title.isEmpty, line.dropFirst(column + 1).first == "─" else {
                    continue
                }
                let end = line[column...].firstIndex(of: "╮") ?? line.endIndex
                return [title]
                    + rows(below: row, from: column, to: end)
                    .prefix { !$0.hasPrefix("Where the time went") }
                    .filter { row in
                        !row.isEmpty
                            && !["sent  ", "ended"].contains { row.trimmingSpaces.hasPrefix($0) }
                            && !Self.isFieldOfServer(row.trimmingSpaces)
                    }
            }
        }
        return ["(none)"]
    }

    /// Whether a row is a header field that says something of the server, and nothing of the case.
    private static func isFieldOfServer(_ row: String) -> Bool {
        guard let field = row.firstMatch(of: #/^([A-Za-z0-9-]+): /#) else { return false }
        let kept = ["retry-after", "www-authenticate", "cache-control", "set-cookie", "location"]
        return !kept.contains(String(field.output.1).lowercased())
    }

    // MARK: - Panes

    private struct PaneText {
        /// The right part of the title.
        let count: String
        let rows: [String]
    }

    private func pane(_ name: String) -> PaneText? {
        for (row, line) in lines.enumerated() {
            let text = String(line)
            guard text.contains(" \(name) ─"),
                let range = text.range(of: " \(name) ─")
            else { continue }
            let position = text.distance(from: text.startIndex, to: range.lowerBound)
            let column = line[..<position].lastIndex(of: "╭") ?? 0
            let end = line[position...].firstIndex(of: "╮") ?? line.endIndex
            let title = String(line[position..<end]).split(separator: "─").map(String.init)
            let count = title.map(\.trimmingSpaces).last { !$0.isEmpty } ?? ""
            return PaneText(count: count, rows: rows(below: row, from: column, to: end))
        }
        return nil
    }

    /// Without the frame; a row's continuation begins with blanks.
    private func rows(below top: Int, from column: Int, to end: Int) -> [String] {
        lines[(top + 1)...].prefix { line in
            line.count > column && line[column] == "│"
        }
        .map { line in
            let row = String(line[min(column + 2, line.count)..<min(end, line.count)])
            return row.trimmingTrailingSpaces
        }
    }

    /// A labelled value, with the rows that continue it.
    private func value(_ label: String, in name: String) -> String {
        let rows = pane(name)?.rows ?? []
        guard let first = rows.firstIndex(where: { $0.hasPrefix(label + " ") }) else { return "" }
        let more = rows[(first + 1)...].prefix { $0.hasPrefix("    ") }
        return ([String(rows[first].dropFirst(label.count))] + more)
            .map(\.trimmingSpaces).joined(separator: " ")
    }

    /// A line, split where there are two blanks or more.
    private static func columns(_ line: String) -> [String] {
        line.split(separator: "  ").map { String($0).trimmingSpaces }.filter { !$0.isEmpty }
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " }).trimmingTrailingSpaces
    }

    fileprivate var trimmingTrailingSpaces: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
