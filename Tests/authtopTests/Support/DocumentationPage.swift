import Foundation
import Testing

/// A page of the documentation, by its headings.
struct DocumentationPage {
    /// The lines under each heading, up to the next.
    private var lines: [String: [Substring]] = [:]

    init(_ name: String) throws {
        let top = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let path = "/\(top)/Sources/authtop/authtop.docc/\(name).md"
        let data = try #require(FileManager.default.contents(atPath: path))
        var heading = ""
        for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
            if line.hasPrefix("#") {
                heading = String(line.drop { $0 == "#" }.dropFirst())
            } else {
                lines[heading, default: []].append(line)
            }
        }
    }

    /// The cells of the tables under a heading, without their heads.
    func rows(under heading: String) -> [[String]] {
        let tables = (lines[heading] ?? []).filter { $0.hasPrefix("| ") }
        return tables.indices.filter { index in
            let next = index + 1 < tables.count ? tables[index + 1] : ""
            return !tables[index].hasPrefix("| ---") && !next.hasPrefix("| ---")
        }
        .map { index in
            tables[index].dropFirst(2).dropLast(2).split(separator: " | ").map(String.init)
        }
    }

    /// The names in the first cells under a heading.
    func members(under heading: String) -> Set<String> {
        rows(under: heading).reduce(into: []) { $0.formUnion(Self.words(in: $1[0])) }
    }

    /// The names in the other cells of the row of one name.
    func members(under heading: String, of name: String) -> Set<String> {
        let row = rows(under: heading).first { Self.words(in: $0[0]).contains(name) } ?? []
        return row.dropFirst().reduce(into: []) { $0.formUnion(Self.words(in: $1)) }
    }

    /// The names in the text under a heading outside of tables.
    func words(ofTextUnder heading: String) -> Set<String> {
        let text = (lines[heading] ?? []).filter { !$0.hasPrefix("|") }.joined(separator: " ")
        return Self.words(in: text)
    }

    /// The texts between backticks.
    private static func words(in text: String) -> Set<String> {
        let parts = text.split(separator: "`", omittingEmptySubsequences: false)
        return Set(parts.indices.filter { !$0.isMultiple(of: 2) }.map { String(parts[$0]) })
    }
}
