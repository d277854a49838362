import Basics
import Client
import FoundationEssentials
import Model
import Observer
import UI

/// Findings that are known: a rule and a path a line, as in `race /auth/refresh`.
struct AcceptedFindings: Equatable {
    private struct Entry: Equatable {
        let rule: String
        /// `nil` for any.
        let path: String?
    }

    static let none = AcceptedFindings(entries: [])
    private static let anyPath = "*"

    private let entries: [Entry]

    private init(entries: [Entry]) {
        self.entries = entries
    }

    /// - Throws: `CommandFailure` if the file cannot be read, or has a line that is none.
    init(readingFile file: String) throws(CommandFailure) {
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: file)),
            data.count <= 1 << 20
        else { throw CommandFailure(.badInput, "--accept \(file): cannot be read") }
        var entries: [Entry] = []
        let text = String(decoding: data, as: UTF8.self)
        // The byte order mark, and the CR before each LF, are those of Windows editors.
        let lines = (text.part(after: "\u{FEFF}") ?? text[...]).parts(at: "\n", keepsEmpty: true)
        for (index, line) in lines.enumerated() {
            let words = line.part(before: "#").utf8.split { " \t\r".utf8.contains($0) }
                .map { String(Substring($0)) }
            guard !words.isEmpty else { continue }
            let place = "\(file):\(index + 1)"
            guard words.count == 2 else {
                throw CommandFailure(
                    .badInput,
                    "\(place): expected a rule and a path, such as \"race /auth/refresh\", or * "
                        + "for any path"
                )
            }
            guard FindingRule.named(words[0]) != nil else {
                throw CommandFailure(
                    .badInput,
                    "\(place): \(FindingRule.problem(withName: words[0])): expected one of "
                        + FindingRule.all.map(\.name).joined(separator: ", ")
                )
            }
            let path = words[1] == Self.anyPath ? nil : words[1]
            entries.append(Entry(rule: words[0], path: path))
        }
        self.entries = entries
    }

    func includes(_ finding: ObservedFinding) -> Bool {
        entries.contains {
            $0.rule == finding.rule && ($0.path == nil || $0.path == finding.path)
        }
    }
}
