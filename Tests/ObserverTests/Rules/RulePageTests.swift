import Foundation
import Model
import Observer
import Testing

@Suite("The page on the proxy")
struct RulePageTests {
    @Test("has every rule with its severity and its sentence, and no other")
    func rules() throws {
        let top = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let path = "/\(top)/Sources/authtop/authtop.docc/Proxy.md"
        let data = try #require(FileManager.default.contents(atPath: path))
        let rows = String(decoding: data, as: UTF8.self).split(separator: "\n")
            .filter { $0.hasPrefix("| `") }.map(String.init)
        let expected = FindingRule.all.map { rule in
            "| `\(rule.name)` | \(rule.severity.rawValue) | \(rule.summary) |"
        }
        #expect(rows == expected)
    }
}
