import FoundationEssentials
import Tokens

/// A token as it was read, before it is named by its fingerprint.
struct RawSighting {
    var place: TokenSighting.Place
    var name: String
    var role: TokenSighting.Role
    var secret: Secret
    var evidence: [ExpiryEvidence] = []
}

/// The strings of a JSON value by their keys, as deep as tokens are.
struct KeyedStrings {
    private(set) var members: [(key: String, value: JSONValue)] = []

    private static let depthLimit = 4
    private static let memberLimit = 512

    init(_ value: JSONValue) {
        collect(value, depth: 0)
    }

    private mutating func collect(_ value: JSONValue, depth: Int) {
        guard depth <= Self.depthLimit, members.count < Self.memberLimit else { return }
        switch value {
        case .object(let object):
            for key in object.keys.sorted() {
                guard let member = object[key] else { continue }
                members.append((key, member))
                collect(member, depth: depth + 1)
            }
        case .array(let elements):
            for element in elements.prefix(16) { collect(element, depth: depth + 1) }
        case .null, .bool, .integer, .number, .string: break
        }
    }

    /// The tokens under keys that name them, with what is stated of their ends.
    func tokens(in place: TokenSighting.Place) -> [RawSighting] {
        members.compactMap { key, value in
            guard let role = TokenNames.role(ofKey: key), let text = value.stringValue,
                text.utf8.count >= TokenNames.shortestToken, text.isTokenText
            else { return nil }
            return RawSighting(
                place: place,
                name: key,
                role: role,
                secret: Secret(text),
                evidence: evidence(of: role)
            )
        }
    }

    private func evidence(of role: TokenSighting.Role) -> [ExpiryEvidence] {
        members.compactMap { key, value in
            guard let number = value.numberValue, number.isFinite else { return nil }
            if TokenNames.lifetime(ofKey: key) == role, number > 0 {
                return .lifetime(seconds: number)
            }
            guard TokenNames.end(ofKey: key) == role, number > 1_000_000_000 else { return nil }
            let seconds = number > 100_000_000_000 ? number / 1_000 : number
            return .instant(Date(timeIntervalSince1970: seconds))
        }
    }

    /// Whether a key has the value of a credential.
    var hasCredentials: Bool {
        members.contains { key, value in
            TokenNames.isCredential(key) && value.displayText?.isEmpty == false
        }
    }

    func text(of plainKey: String) -> String? {
        members.first { TokenNames.plain($0.key) == plainKey && $0.value.displayText != nil }?
            .value.displayText
    }

    /// Texts that may be tokens: long ones without spaces.
    var candidates: [Secret] {
        members.compactMap { $0.value.stringValue }
            .filter { (16...4_096).contains($0.utf8.count) && $0.isTokenText }
            .prefix(64).map { Secret($0) }
    }
}

extension String {
    /// Whether it has only what a header may carry in a token.
    var isTokenText: Bool { utf8.allSatisfy { (0x21...0x7E).contains($0) } }
}
