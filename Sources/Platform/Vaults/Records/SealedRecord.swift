import Basics
import Client
import Crypto
import FoundationEssentials
import Model

/// A record as it is stored.
///
/// It starts with a line of JSON that describes the record, followed by the nonce, ciphertext and
/// tag of ChaCha20-Poly1305 (RFC 8439). The line is authenticated as additional data.
struct SealedRecord {
    /// The maximum size in bytes, including the head.
    static let sizeLimit = 1024 * 1024
    private static let headLimit = 16 * 1024

    struct Head: Hashable {
        var schema: Int
        var profile: String
        var baseURL: String
        var keyPlace: KeyPlace
        var keyName: String
    }

    let head: Head
    private let headBytes: [UInt8]
    private let box: [UInt8]

    var bytes: [UInt8] { headBytes + box }

    /// Encrypts a record.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - location: The profile and backend of the record.
    ///   - key: The key to encrypt with.
    ///   - place: The place of that key.
    /// - Throws: If the record is too large.
    init(
        _ record: VaultRecord,
        of location: VaultLocation,
        key: VaultKey,
        in place: KeyPlace
    ) throws(VaultProblem) {
        head = Head(
            schema: VaultRecord.currentSchema,
            profile: location.profile,
            baseURL: location.baseURL,
            keyPlace: place,
            keyName: key.name
        )
        headBytes = Array(head.json.serialized.utf8) + [UInt8(ascii: "\n")]
        var plain = try RecordCoding.bytes(of: record)
        defer { plain.wipe() }
        guard headBytes.count <= Self.headLimit, plain.count + headBytes.count < Self.sizeLimit - 64
        else {
            throw VaultProblem(
                message: "the record is too large: \(plain.count + headBytes.count) bytes, "
                    + "at most \(Self.sizeLimit)"
            )
        }
        guard
            let sealed = try? ChaChaPoly.seal(
                plain,
                using: key.symmetric,
                authenticating: headBytes
            )
        else { throw VaultProblem(message: "the record cannot be encrypted") }
        box = Array(sealed.combined)
    }

    /// Parses a stored record without decrypting it.
    ///
    /// - Parameters:
    ///   - bytes: The whole stored record.
    ///   - place: The location to name in errors.
    /// - Throws: If it is not a record, or was written by a newer version.
    init(parsing bytes: [UInt8], from place: String) throws(VaultProblem) {
        guard !bytes.isEmpty else { throw Self.unusable(place, "is empty") }
        guard let end = bytes.prefix(Self.headLimit).firstIndex(of: UInt8(ascii: "\n")),
            let json = JSONValue(parsing: Array(bytes[..<end])), json["authtop"] == "vault"
        else { throw Self.unusable(place, "is not an authtop record, or is damaged") }
        guard let schema = json["schema"]?.numberValue.flatMap(Int.init(exactly:)) else {
            throw Self.unusable(place, "is damaged")
        }
        guard schema == VaultRecord.currentSchema else {
            throw VaultProblem(
                message: "\(place): written by another version of authtop (schema \(schema), "
                    + "expected \(VaultRecord.currentSchema)); use that one, or move it away"
            )
        }
        guard let profile = json["profile"]?.stringValue,
            let baseURL = json["baseURL"]?.stringValue,
            let keyPlace = json["keyPlace"]?.stringValue.flatMap(KeyPlace.init),
            let keyName = json["key"]?.stringValue, keyName.utf8.count <= 64
        else { throw Self.unusable(place, "is damaged") }
        head = Head(
            schema: schema,
            profile: profile,
            baseURL: baseURL,
            keyPlace: keyPlace,
            keyName: keyName
        )
        headBytes = Array(bytes[...end])
        box = Array(bytes[(end + 1)...])
    }

    /// Decrypts the record.
    ///
    /// - Parameters:
    ///   - location: The profile and backend that the record must belong to.
    ///   - place: The location to name in errors.
    ///   - findKey: Returns the key that the head names; called only if the record belongs there.
    /// - Returns: The record and its key.
    /// - Throws: If the record belongs to another profile, or was modified.
    func open(
        for location: VaultLocation,
        from place: String,
        with findKey: (Head) throws(VaultProblem) -> VaultKey
    ) throws(VaultProblem) -> (record: VaultRecord, key: VaultKey) {
        try check(location, from: place)
        let key = try findKey(head)
        guard let sealed = try? ChaChaPoly.SealedBox(combined: box),
            let opened = try? ChaChaPoly.open(
                sealed,
                using: key.symmetric,
                authenticating: headBytes
            )
        else { throw Self.unusable(place, "was changed, cut short or damaged") }
        var plain = Array(opened)
        defer { plain.wipe() }
        guard let record = RecordCoding.record(from: plain) else {
            throw Self.unusable(place, "cannot be understood")
        }
        return (record, key)
    }

    /// Fails if the record belongs to another profile, whose tokens must not be sent to this one's
    /// backend.
    private func check(_ location: VaultLocation, from place: String) throws(VaultProblem) {
        guard head.profile == location.profile, head.baseURL == location.baseURL else {
            throw VaultProblem(
                message: "\(place): belongs to \(head.profile.shown) at \(head.baseURL.shown), not "
                    + "to \(location.profile.shown) at \(location.baseURL.shown), or is damaged; "
                    + "move it away"
            )
        }
    }

    private static func unusable(_ place: String, _ what: String) -> VaultProblem {
        VaultProblem(
            message: "\(place): \(what); put a good copy back, or move it away and log in again"
        )
    }
}

extension SealedRecord.Head {
    /// The head as JSON with sorted keys, so that equal heads have equal bytes.
    fileprivate var json: JSONValue {
        .object([
            "authtop": "vault",
            "baseURL": .string(baseURL),
            "cipher": "ChaCha20-Poly1305",
            "key": .string(keyName),
            "keyPlace": .string(keyPlace.rawValue),
            "profile": .string(profile),
            "schema": .integer(Int64(schema)),
        ])
    }
}

extension String {
    /// The text, shortened and on one line, to be quoted in a message.
    fileprivate var shown: String {
        String(
            unicodeScalars.prefix(80).map { scalar in
                scalar.value < 32 || scalar.value == 127 ? "?" : Character(scalar)
            }
        )
    }
}
