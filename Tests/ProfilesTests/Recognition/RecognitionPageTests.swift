import FoundationEssentials
import Testing

@testable import Profiles

@Suite("The page on recognition")
struct RecognitionPageTests {
    @Test("names every table of the file with each of its keys once, and no other")
    func tables() throws {
        let top = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let path = "/\(top)/Sources/authtop/authtop.docc/Recognition.md"
        let data = try #require(FileManager.default.contents(atPath: path))
        let documented = PageTables(of: String(decoding: data, as: UTF8.self)).keys
        #expect(documented.keys.sorted() == Recognition.tables.map(\.path).sorted())
        for table in Recognition.tables {
            #expect(documented[table.path]?.sorted() == table.keys.sorted(), "\(table.path)")
        }
    }
}
