import Foundation
import Model
import Testing

@Suite("OwnerTable: which run has the sessions of users")
struct OwnerTableTests {
    private static let start = Date(timeIntervalSince1970: 1_767_225_600)

    private static func claim(
        _ run: String,
        _ part: Int = 1,
        of count: Int = 1,
        at seconds: Double = 0
    ) -> Ownership {
        Ownership(
            run: run,
            host: "a",
            process: 7,
            part: part,
            partCount: count,
            expiresAt: start.addingTimeInterval(seconds + 30)
        )
    }

    @Test("a second run is refused until the lease of the first is over")
    func refused() {
        var table = OwnerTable()
        #expect(table.claim(Self.claim("first"), at: Self.start) == nil)
        let later = Self.start.addingTimeInterval(29.9)
        #expect(table.claim(Self.claim("second"), at: later)?.run == "first")
        let over = Self.start.addingTimeInterval(30)
        #expect(table.claim(Self.claim("second", at: 30), at: over) == nil)
        // The first one finds out when it claims the sessions again.
        #expect(table.claim(Self.claim("first", at: 30), at: over)?.run == "second")
    }

    @Test("a run that claims its part again keeps it, and one that gives it up leaves it")
    func kept() {
        var table = OwnerTable()
        for seconds in stride(from: 0.0, through: 100, by: 10) {
            let now = Self.start.addingTimeInterval(seconds)
            #expect(table.claim(Self.claim("first", at: seconds), at: now) == nil)
            #expect(table.claim(Self.claim("second", at: seconds), at: now)?.run == "first")
        }
        table.release("first")
        let now = Self.start.addingTimeInterval(100)
        #expect(table.claim(Self.claim("second", at: 100), at: now) == nil)
    }

    @Test(
        "parts exclude each other if a session can belong to both",
        arguments: [
            ((1, 2), (2, 2), false), ((1, 2), (1, 2), true), ((1, 2), (3, 4), true),
            ((1, 2), (2, 4), false), ((1, 2), (1, 3), true), ((2, 4), (4, 6), true),
            ((2, 4), (3, 6), false), ((1, 1), (5, 7), true),
        ]
    )
    func parts(first: (Int, Int), second: (Int, Int), excludes: Bool) {
        var table = OwnerTable()
        #expect(table.claim(Self.claim("a", first.0, of: first.1), at: Self.start) == nil)
        let other = table.claim(Self.claim("b", second.0, of: second.1), at: Self.start)
        #expect((other != nil) == excludes)
        // That is so if some number belongs to both.
        let isShared = (0..<1_000).contains { number in
            number % first.1 == first.0 - 1 && number % second.1 == second.0 - 1
        }
        #expect(isShared == excludes)
    }

    @Test("a run does not count on its lease until the very end")
    func margin() {
        #expect(OwnerTable.renewal + OwnerTable.margin < OwnerTable.lease)
    }
}
