import Backend
import Basics
import Foundation
import Profiles
import Testing

@testable import Observer

@Suite("The testing checklists of the guides")
struct GuideTests {
    private func results(
        of name: String,
        _ change: (inout VirtualCheck) -> Void = { _ in }
    ) throws -> [ExpectationSet.Result] {
        let dialect = try #require(Dialect.builtIn(named: name))
        var policy = BackendPolicy(of: dialect, refreshLifetime: 600, reuse: .strict)
        policy.accessLifetime = 20
        var check = VirtualCheck(dialect: dialect, policy: policy)
        change(&check)
        return ExpectationSet.guide.results(in: check.run().report, dialect: name)
    }

    @Test(
        "hold where the backend does what the guide says, but for what only an app can show",
        arguments: GuideChecklist.dialects
    )
    func hold(dialect: String) throws {
        let results = try results(of: dialect)
        #expect(results.count >= 5)
        for result in results {
            #expect([.holds, .notTestable].contains(result.outcome), "\(result)")
            #expect((result.reason != nil) == (result.outcome == .notTestable))
        }
    }

    static let breaches: [(String, String, @Sendable (inout VirtualCheck) -> Void)] = [
        ("voltyks", "RefreshTokenMismatch", { $0 = $0.with(.grace(seconds: 5)) }),
        ("intellipost", "rotation", { $0 = $0.with(.none) }),
        ("bitbasel", "Reconnect WebSocket", { $0.feed.refusesAfterRefresh = true }),
        ("melchat", "logout successful", { $0.ignoresLogouts = true }),
    ]

    @Test("do not hold where it does not", arguments: breaches.indices)
    func breach(index: Int) throws {
        let (dialect, line, change) = Self.breaches[index]
        let failed = try results(of: dialect, change).filter { $0.outcome == .fails }
        #expect(failed.contains { $0.name.contains(line) }, "\(failed)")
    }

    @Test("are on the page on checks, line by line", arguments: GuideChecklist.dialects)
    func page(dialect: String) throws {
        let top = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let path = "/\(top)/Sources/authtop/authtop.docc/CheckingBackends.md"
        let data = try #require(FileManager.default.contents(atPath: path))
        let text = String(decoding: data, as: UTF8.self)
        let section = try #require(text.components(separatedBy: "**\(dialect)**\n").last)
            .components(separatedBy: "\n**")[0]
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst(2)
        let items = try #require(GuideChecklist(ofDialect: dialect)).items
        #expect(
            rows.map { $0.split(separator: " | ")[0].dropFirst(2) } == items.map { $0.line[...] }
        )
    }
}

extension VirtualCheck {
    /// The same check of a backend with another reuse policy.
    func with(_ reuse: ReusePolicy) -> VirtualCheck {
        var policy = policy
        policy.reuse = reuse
        return VirtualCheck(dialect: dialect, policy: policy, options: options, feed: feed)
    }
}
