import Basics
import Foundation
import Model
import Profiles
import Testing

@testable import Platform

/// The files in `Records` have the form in which the release of 444454f4 wrote them, and never change.
@Suite("A record that an earlier release stored")
struct StoredRecordTests {
    /// The content of each file.
    private static let records: [String: VaultRecord] = [
        "signed-in": .signedIn(),
        "renewing": .renewing(),
        "refused": .refused(),
        "full": .full(),
        "signed-out": .signedOut(),
        "tombstone": .tombstone(),
    ]

    @Test("is read whole", arguments: records.keys.sorted())
    func reads(name: String) throws {
        #expect(RecordCoding.record(from: try Self.bytes("\(name).json")) == Self.records[name])
    }

    @Test("is opened with its key")
    func opens() async throws {
        try await withVaults { bench async throws in
            // Creates the folder and the files with their permissions.
            _ = try await bench.vault().commit(.login(.signedIn()))
            try bench.write(try Self.bytes("full.vault"), to: bench.record)
            try bench.write(try Self.bytes("full.key"), to: bench.key)
            #expect(try await bench.vault().load() == .full())
        }
    }

    @Test("has the members that are written today, so that the releases share a vault")
    func writes() throws {
        for (name, record) in Self.records {
            let old = try #require(JSONValue(parsing: try Self.bytes("\(name).json")))
            let new = try #require(JSONValue(parsing: try RecordCoding.bytes(of: record)))
            #expect(new == old, "\(name)")
        }
    }

    @Test("is read without the members that older ones did not have")
    func older() throws {
        let full = try #require(JSONValue(parsing: try Self.bytes("full.json")))
        let added: Set = ["account", "beganAt", "captures", "isReusable", "likelyHigh", "margin"]
        let older = Array(full.without(added).serialized.utf8)
        var expected = VaultRecord.full()
        expected.outbox[0].captures = .none
        expected.pair?.tokens.captures = .none
        expected.pair?.statements.account = []
        expected.pair?.times.beganAt = nil
        expected.pair?.isReusable = false
        expected.pair?.offset = ServerOffset(low: -0.25, likelyHigh: 1.5)
        expected.pair?.times.access = Expiry(
            seconds: -0.1,
            source: .inferredZone,
            skewWidth: 1.0 / 3,
            mismatch: [
                Expiry.Reading(source: .lifetime, seconds: 1e9),
                Expiry.Reading(source: .timestamp, seconds: -7_200),
            ]
        )
        #expect(RecordCoding.record(from: older) == expected)
        let ended = try #require(JSONValue(parsing: try Self.bytes("tombstone.json")))
        var unexplained = VaultRecord.tombstone()
        unexplained.ending = nil
        let bytes = Array(ended.without(["ending"]).serialized.utf8)
        #expect(RecordCoding.record(from: bytes) == unexplained)
    }

    @Test("has an ID token as a further member, which is not there without one")
    func idToken() throws {
        let bytes = try RecordCoding.bytes(of: .identified())
        #expect(RecordCoding.record(from: bytes) == .identified())
        let json = try #require(JSONValue(parsing: bytes))
        let plain = try RecordCoding.bytes(of: .signedIn(epoch: 3))
        #expect(json.without(["idToken"]) == JSONValue(parsing: plain))
        #expect(VaultRecord.identified().secrets.contains(Secret(VaultRecord.idToken)))
    }

    @Test("is read without an explanation that is not understood")
    func explanation() throws {
        let json = try #require(JSONValue(parsing: try Self.bytes("full.json")))
        let other = Array(json.without(["possibleCauses"]).serialized.utf8)
        var expected = VaultRecord.full()
        expected.pair?.refusal = nil
        #expect(RecordCoding.record(from: other) == expected)
    }

    @Test(
        "is not read without what a session needs",
        arguments: [
            "schema", "dialect", "baseURL", "family", "pair", "journal", "outbox", "epoch",
            "savedAt", "generation", "access", "refresh", "sentAt", "accessExpiry",
            "refreshSentAt", "refreshExpiry", "subject", "displayName", "offset", "wasKept",
            "isEndFixed", "seconds", "source", "skewWidth", "mismatch", "sends", "preparedAt", "id",
            "scope", "expiresAt",
        ]
    )
    func incomplete(missing: String) throws {
        let json = try #require(JSONValue(parsing: try Self.bytes("full.json")))
        let rest = Array(json.without([missing]).serialized.utf8)
        #expect(RecordCoding.record(from: rest) == nil)
    }

    private static func bytes(_ name: String) throws -> [UInt8] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        return Array(try Data(contentsOf: folder.appending(path: "Records/\(name)")))
    }
}

extension JSONValue {
    /// The value without these members, at any depth.
    fileprivate func without(_ names: Set<String>) -> JSONValue {
        switch self {
        case .object(let members):
            .object(
                members.filter { !names.contains($0.key) }.mapValues { $0.without(names) }
            )
        case .array(let elements): .array(elements.map { $0.without(names) })
        case .null, .bool, .integer, .number, .string: self
        }
    }
}
