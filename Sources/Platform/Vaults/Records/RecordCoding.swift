package import Basics
import FoundationEssentials
package import Model
import Profiles

/// Encodes a record as JSON.
///
/// The stored content exists as text only in memory. The caller wipes the byte arrays; the strings
/// in between are overwritten when they are freed (`CRuntime`).
package enum RecordCoding {
    /// - Throws: If the record contains a number that JSON cannot represent.
    static func bytes(of record: VaultRecord) throws(VaultProblem) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(record, configuration: { .string($0.reveal()) }) else {
            throw VaultProblem(message: "the record cannot be written down")
        }
        return Array(data)
    }

    /// Decodes a record; returns `nil` if something that a record requires is missing.
    static func record(from bytes: [UInt8]) -> VaultRecord? {
        try? JSONDecoder().decode(VaultRecord.self, from: Data(bytes))
    }

    /// Returns a record for output to the user, with times in ISO 8601, in UTC.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - token: Returns the representation of a secret.
    /// - Returns: The record, or null if it contains a number that JSON cannot represent.
    package static func json(of record: VaultRecord, token: @escaping SecretEncoding) -> JSONValue {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var value = encoder.singleValueContainer()
            try value.encode(date.iso8601)
        }
        let data = try? encoder.encode(record, configuration: token)
        return data.flatMap { JSONValue(parsing: Array($0)) } ?? .null
    }
}
