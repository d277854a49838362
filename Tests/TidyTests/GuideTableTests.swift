import FoundationEssentials
import Testing

/// The table of the integration guides against the tests that it names.
@Suite("The table of the integration guides")
struct GuideTableTests {
    private let rows: [Substring]

    init() throws {
        let top = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let path = "/\(top)/Sources/authtop/authtop.docc/IntegrationGuides.md"
        let data = try #require(FileManager.default.contents(atPath: path))
        rows = String(decoding: data, as: UTF8.self).split(separator: "\n").filter {
            $0.hasPrefix("| ") && !$0.hasPrefix("| The guide |") && !$0.hasPrefix("| --- ")
        }
    }

    @Test("every sentence in it is the name of a test in the file beside it")
    func sentencesAreTests() throws {
        let files = try SourceTree("Tests").files
        var missing: [String] = []
        for row in rows {
            for reference in Self.references(in: row) {
                let isThere = files.contains { file in
                    file.name == "\(reference.file).swift"
                        && file.lines.contains { $0.contains("\"\(reference.sentence)\"") }
                }
                if !isThere { missing.append("\(reference.file): \(reference.sentence)") }
            }
        }
        #expect(missing.isEmpty, "name the test that shows it now")
    }

    @Test("every item says how it stands, and names a test unless it has no counterpart")
    func itemsAreShown() {
        #expect(rows.count > 100)
        for row in rows {
            let cells = row.dropFirst().dropLast().split(separator: " | ")
            #expect(cells.count == 3, "\(row)")
            let isExcused = row.contains("No counterpart")
            #expect(isExcused || !Self.references(in: row).isEmpty, "\(row)")
        }
    }

    /// The tests that a row names: each as `“sentence” (File)`.
    private static func references(in row: Substring) -> [(sentence: String, file: String)] {
        row.split(separator: "“").dropFirst().compactMap { part in
            guard let end = part.firstIndex(of: "”") else { return nil }
            let rest = part[end...].dropFirst()
            guard rest.hasPrefix(" ("), let close = rest.firstIndex(of: ")") else { return nil }
            return (String(part[..<end]), String(rest[..<close].dropFirst(2)))
        }
    }
}
