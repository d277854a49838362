package import Basics

/// The place of values in a document: keys with a point between them, each whole or with `*` for any
/// text; `@key` is the key of an entry, `@host` the host of a URL that is the key, with or without a
/// scheme, `@self` its value, `@file` the name of the file.
///
/// A text on the way is read as JSON, since some programs keep an object in a text, or as the
/// credentials of HTTP's Basic scheme (RFC 7617), which have a `user` and a `password`.
package struct DocumentPath: Sendable, Hashable {
    /// A value, and the keys that led to it.
    package struct Match: Sendable, Hashable {
        package let keys: [String]
        package let value: JSONValue
    }

    private enum Kind: Sendable, Hashable {
        case keys([KeyPattern])
        case entryKey
        case entryHost
        case fileName
    }

    /// The most matches of one path.
    static let matchLimit = 2_000

    package let text: String
    private let kind: Kind

    /// Whether it stands for the name of the file, which is no secret.
    package var isFileName: Bool { kind == .fileName }

    /// - Parameter text: `nil` is returned for an empty key.
    package init?(_ text: String) {
        self.text = text
        switch text {
        case "@self": kind = .keys([])
        case "@key": kind = .entryKey
        case "@host": kind = .entryHost
        case "@file": kind = .fileName
        default:
            let keys = text.parts(at: ".", keepsEmpty: true)
            guard keys.allSatisfy({ !$0.isEmpty }) else { return nil }
            kind = .keys(keys.map { KeyPattern(String($0)) })
        }
    }

    /// Returns every value at the path, in the order of their keys.
    package func matches(in document: JSONValue) -> [Match] {
        guard case .keys(let patterns) = kind else { return [] }
        var found = [Match(keys: [], value: document)]
        for pattern in patterns {
            var next: [Match] = []
            for match in found {
                for (key, value) in Self.members(of: match.value, matching: pattern) {
                    guard next.count < Self.matchLimit else { break }
                    next.append(Match(keys: match.keys + [key], value: value))
                }
            }
            found = next
        }
        return found
    }

    /// Returns the text of the first value, or of what the path stands for.
    ///
    /// - Parameters:
    ///   - entry: The entry of a session.
    ///   - file: The name of its file without its ending.
    /// - Returns: The value, or `nil` if there is none.
    package func value(in entry: Match, file: String) -> JSONValue? {
        switch kind {
        case .entryKey: entry.keys.last.map { .string($0) }
        case .entryHost: entry.keys.last.map { .string(Self.host(of: $0)) }
        case .fileName: .string(file)
        case .keys: matches(in: entry.value).first?.value
        }
    }

    private static func host(of url: String) -> String {
        let start = url.range(ofBytes: "//").map(\.upperBound) ?? url.startIndex
        return String(url[start...].part(before: "/"))
    }

    private static func members(
        of value: JSONValue,
        matching pattern: KeyPattern
    ) -> [(String, JSONValue)] {
        switch value {
        case .object(let members):
            if !pattern.isOpen { return members[pattern.text].map { [(pattern.text, $0)] } ?? [] }
            return members.keys.sorted().filter(pattern.matches).compactMap { key in
                members[key].map { (key, $0) }
            }
        case .array(let elements):
            return elements.enumerated().compactMap { index, element in
                pattern.matches(String(index)) ? (String(index), element) : nil
            }
        case .string(let text):
            guard let inner = JSONValue(parsing: Array(text.utf8)) ?? credentials(text)
            else { return [] }
            if case .string = inner { return [] }
            return members(of: inner, matching: pattern)
        case .null, .bool, .integer, .number: return []
        }
    }

    /// Returns the user and the password of a text in base64, or `nil` if it has none.
    private static func credentials(_ text: String) -> JSONValue? {
        let letters = text.utf8.prefix { $0 != UInt8(ascii: "=") }
        guard let bytes = Base64URL.decodeEitherAlphabet(letters),
            let halves = String(decoding: bytes, as: UTF8.self).halves(at: ":")
        else { return nil }
        return .object([
            "user": .string(String(halves.before)), "password": .string(String(halves.after)),
        ])
    }
}

/// A key, or a part of a file's name, in which `*` stands for any text.
package struct KeyPattern: Sendable, Hashable {
    package let text: String
    /// The parts around each `*`; none without one.
    private let parts: [String]

    package init(_ text: String) {
        self.text = text
        parts =
            text.utf8.firstIndex(ofByte: UInt8(ascii: "*")) == nil
            ? [] : text.parts(at: "*", keepsEmpty: true).map(String.init)
    }

    /// Whether more than one key can match.
    package var isOpen: Bool { !parts.isEmpty }

    /// Returns whether a key matches, by its bytes.
    package func matches(_ key: String) -> Bool {
        guard isOpen, let first = parts.first, let last = parts.last else { return key == text }
        guard key.utf8.count >= first.utf8.count + last.utf8.count,
            var rest = key.part(after: first)?.part(upTo: last)
        else { return false }
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let found = rest.range(ofBytes: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return true
    }
}
