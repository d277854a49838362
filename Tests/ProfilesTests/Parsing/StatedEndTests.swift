import Foundation
import Testing

@testable import Basics
@testable import Profiles

@Suite("Statements of an end that no profile describes")
struct StatedEndTests {
    private static let end = Date(timeIntervalSince1970: 1_763_733_900)

    private static let times: [(value: JSONValue, kind: ExpiryField.Kind?)] = [
        (1_763_733_900, .unixSeconds), ("1763733900", .unixSeconds),
        (1_763_733_900_000, .unixMilliseconds), ("2025-11-21T14:05:00Z", .iso8601),
        ("2025-11-21T15:05:00+01:00", .iso8601), ("2025-11-21T14:05:00UTC", .iso8601),
        ("Fri, 21 Nov 2025 14:05:00 GMT", .httpDate), ("/Date(1763733900000)/", nil),
    ]

    @Test("a time is the same in an answer and in a pair that is pasted", arguments: times)
    func time(value: JSONValue, kind: ExpiryField.Kind?) throws {
        let stated = try #require(StatedEnd(value))
        #expect(stated.date == Self.end)
        #expect(stated.kind == kind)
        #expect(try Self.answered(value) == [.instant(Self.end)])
        #expect(try Self.pasted(value).first == .instant(Self.end))
    }

    @Test(
        "what stands for no end is none in either",
        arguments: [
            "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", 253_402_300_799, 253_402_300_799_000,
        ] as [JSONValue]
    )
    func never(value: JSONValue) throws {
        #expect(StatedEnd(value) == .never)
        #expect(try Self.answered(value).isEmpty)
        #expect(try Self.pasted(value).allSatisfy { $0.source == .assumed })
    }

    @Test(
        "a life is one from the answer, and from an unknown moment in a pair that is pasted",
        arguments: ["300", "300s", "5m", "PT5M"]
    )
    func life(text: String) throws {
        #expect(StatedEnd(.string(text))?.date == nil)
        #expect(try Self.answered(.string(text)).count == 1)
        #expect(try Self.pasted(.string(text)).allSatisfy { $0.source == .assumed })
    }

    @Test(
        "another value states nothing",
        arguments: ["soon", "", 0, -1, true, .null, []] as [JSONValue]
    )
    func nothing(value: JSONValue) {
        #expect(StatedEnd(value) == nil)
    }

    private static func body(_ end: JSONValue) -> JSONValue {
        [
            "access_token": "the-access-token", "refresh_token": "the-refresh-token",
            "expires_at": end,
        ]
    }

    /// The evidence of an answer without a profile.
    private static func answered(_ end: JSONValue) throws -> [ExpiryEvidence] {
        let reading = AnswerReading(
            .json(body(end)),
            to: nil,
            method: "POST",
            by: nil,
            recognition: .builtIn,
            isEmpty: false
        )
        return try #require(reading.tokens.first { $0.role == .access }).evidence
    }

    private static func pasted(_ end: JSONValue) throws -> [ExpiryEvidence] {
        // Its answers have other names.
        let dialect = try #require(Dialect.builtIn(named: "voltyks"))
        return try PastedPair(parsing: body(end).serialized, by: dialect).tokens.accessEvidence
    }
}
