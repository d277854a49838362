import Foundation
import Testing

@testable import Model
@testable import UI

@Suite("The page on faults")
struct FaultPageTests {
    @Test("has every fault in each of its places, with its sentence and its scorecard")
    func rows() throws {
        let top = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let path = "/\(top)/Sources/authtop/authtop.docc/Faults.md"
        let data = try #require(FileManager.default.contents(atPath: path))
        let rows = String(decoding: data, as: UTF8.self).split(separator: "\n")
            .drop { !$0.hasPrefix("## Every fault") }
            .filter { $0.hasPrefix("| `") || $0.hasPrefix("| = `") }.map(String.init)
        #expect(rows == Fault.all.flatMap(Self.rows))
    }

    private static func rows(_ fault: Fault) -> [String] {
        fault.places.map { place in
            let role = fault.at(place)
            let isFirst = place == fault.places.first
            let numbers = role.parameterText.map {
                " (\($0.split(separator: "|").joined(separator: " or ")))"
            }
            let checks = role.checks.map(ScorecardText.text).joined(separator: "; ")
            return "| \(isFirst ? "" : "= ")`\(role)` | \(place.word) | "
                + "\(role.sentence)\(numbers ?? "") | \(checks.isEmpty ? "–" : checks) |"
        }
    }
}

extension Fault.Place {
    fileprivate var word: String {
        switch self {
        case .backend: "sandbox"
        case .client: "client"
        case .app: "app"
        }
    }
}
