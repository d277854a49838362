import Basics
import FoundationEssentials
import Testing

@testable import Profiles

/// The page that documents every key of a profile's file against the lists that the reader uses.
@Suite("The page on profiles")
struct ProfilePageTests {
    /// The keys that the page documents, by the table's path; a key that stands there twice counts
    /// twice.
    private let documented: [String: [String]]

    init() throws {
        let top = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let path = "/\(top)/Sources/authtop/authtop.docc/WritingProfiles.md"
        let data = try #require(FileManager.default.contents(atPath: path))
        documented = PageTables(of: String(decoding: data, as: UTF8.self)).keys
    }

    @Test("names every table that a file may have, and no other")
    func tables() {
        #expect(documented.keys.sorted() == ProfileSchema.tables.map(\.path).sorted())
    }

    @Test("names every key of a table once, and no other", arguments: ProfileSchema.tables)
    func keys(table: ProfileSchema.Table) {
        #expect(documented[table.path]?.sorted() == table.keys.sorted())
    }

    @Test("the schema has whatever a built-in dialect says", arguments: Dialect.builtInSources.keys)
    func schemaIsWhole(name: String) throws {
        let text = try #require(Dialect.builtInSources[name])
        let file = try TOMLReader.read(text, file: "\(name).toml")
        #expect(Self.strangers(in: file, at: "").isEmpty)
    }

    /// The paths of members that the schema does not have.
    private static func strangers(in item: TOMLItem, at path: String) -> [String] {
        if case .list(let items) = item.value {
            return items.flatMap { strangers(in: $0, at: path) }
        }
        let grant = path.hasPrefix("grants.") && !path.dropFirst(7).contains(".")
        let known = grant ? "grants.NAME" : path
        guard case .table(let members) = item.value,
            let table = ProfileSchema.tables.first(where: { $0.path == known })
        else { return [] }
        return members.flatMap { key, member in
            let whole = path.isEmpty ? key : "\(path).\(key)"
            return table.keys.contains(key) ? strangers(in: member, at: whole) : [whole]
        }
    }
}
