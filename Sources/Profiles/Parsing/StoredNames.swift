import Basics
import FoundationEssentials

/// The names under which backends and apps store a pair, the likeliest of each kind first.
struct StoredNames {
    let recognition: Recognition

    var access: [String] { recognition.tokens.keys(of: .access) }
    var refresh: [String] { recognition.tokens.keys(of: .refresh) }
    var lifetimes: [String] { recognition.lifetimes.accessSeconds }
    func ends(of role: TokenRole) -> [String] { recognition.lifetimes.ends(of: role) }

    /// Returns a name without what it is written with, and without the id of the app that some put
    /// before it, as in `com.example.accessToken`.
    private static func plain(_ name: String) -> String {
        (name.parts(at: ".").last ?? name[...]).plainName
    }

    /// Returns the first value under one of the names, as `plainName`, that `read` accepts.
    static func first<Value>(
        _ names: [String],
        in json: JSONValue,
        as read: (JSONValue) -> Value?
    ) -> Value? {
        guard case .object(let members) = json else { return nil }
        let keys = members.keys.sorted()
        let plain = keys.map(Self.plain)
        for name in names {
            for (key, own) in zip(keys, plain) where own == name {
                if let value = members[key].flatMap(read) { return value }
            }
        }
        return nil
    }

    /// Returns the values of lines such as `accessToken = …`, also with a colon or an arrow, or
    /// `nil` if no line names a token.
    func object(in text: String) -> JSONValue? {
        let all = Set(access + refresh + lifetimes + ends(of: .access) + ends(of: .refresh))
        var members: [String: JSONValue] = [:]
        for line in text.lines.map(\.unicodeScalars) {
            guard let separator = line.firstIndex(where: "=:→".unicodeScalars.contains) else {
                continue
            }
            let name = PastedPair.bare(Substring(line[..<separator]))
            guard all.contains(Self.plain(name)) else { continue }
            let value = PastedPair.bare(Substring(line[line.index(after: separator)...]))
            members[name] = .string(value)
        }
        return members.isEmpty ? nil : .object(members)
    }
}

/// The expiries of a stored pair, as far as they are stored.
struct StoredEnds: Sendable, Hashable {
    let access: ExpiryField.Statement?
    let refresh: ExpiryField.Statement?

    init(in json: JSONValue, under names: StoredNames) {
        access = StoredNames.first(names.ends(of: .access), in: json, as: Self.instant)
        refresh = StoredNames.first(names.ends(of: .refresh), in: json, as: Self.instant)
    }

    /// Reads a time; the start of a lifetime is not known.
    private static func instant(_ value: JSONValue) -> ExpiryField.Statement? {
        guard let end = StatedEnd(value), let date = end.date else { return nil }
        if case .timestamp(let time) = end, time.zoneOffset == nil { return .zoneless(date) }
        return .instant(date)
    }
}
