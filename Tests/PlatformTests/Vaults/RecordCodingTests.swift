import Basics
import Client
import Model
import Testing

@testable import Platform

@Suite("A record as JSON")
struct RecordCodingTests {
    @Test("has the captured values of the pair and of what the backend is to be told")
    func captures() throws {
        let record = VaultRecord.full()
        let read = try #require(RecordCoding.record(from: try RecordCoding.bytes(of: record)))
        #expect(read == record)
        #expect(read.pair?.tokens.captures["csrf"] == Secret(VaultRecord.captured))
        #expect(read.outbox.first?.captures["csrf"] == Secret(VaultRecord.captured))
    }

    @Test("can be read if it was written before there were captured values")
    func older() throws {
        let bytes = try RecordCoding.bytes(of: .full())
        let json = try #require(JSONValue(parsing: bytes))
        let older = Array(Self.withoutCaptures(json).serialized.utf8)
        #expect(!String(decoding: older, as: UTF8.self).contains("captures"))
        var expected = VaultRecord.full()
        expected.pair?.tokens.captures = .none
        expected.outbox[0].captures = .none
        #expect(RecordCoding.record(from: older) == expected)
    }

    private static func withoutCaptures(_ json: JSONValue) -> JSONValue {
        switch json {
        case .object(let members):
            .object(members.filter { $0.key != "captures" }.mapValues(withoutCaptures))
        case .array(let elements): .array(elements.map(withoutCaptures))
        case .null, .bool, .integer, .number, .string: json
        }
    }
}
