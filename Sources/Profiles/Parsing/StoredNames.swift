import Basics
import FoundationEssentials

/// The names under which backends and apps store a pair, including those in the key chains of the
/// five guides.
enum StoredNames {
    static let access = [
        "access_token", "accessToken", "token", "access", "jwt", "authToken",
        "com.melchat.accessToken", "com.intellipost.accessToken",
    ]
    static let refresh = [
        "refresh_token", "refreshToken", "refresh",
        "com.melchat.refreshToken", "com.intellipost.refreshToken",
    ]
    static let lifetimes = ["expires_in", "expiresIn"]
    static let accessEnds = [
        "expires_at", "expiresAt", "accessTokenExpiresAt", "accessTokenExpiry",
        "tokenExpirationTime", "com.melchat.tokenExpiresAt",
    ]
    static let refreshEnds = ["refresh_expires_at", "refreshTokenExpiresAt", "refreshTokenExpiry"]

    private static let all = Set(access + refresh + lifetimes + accessEnds + refreshEnds)

    /// Returns the first value under one of the names that `read` accepts.
    static func first<Value>(
        _ names: [String],
        in json: JSONValue,
        as read: (JSONValue) -> Value?
    ) -> Value? {
        guard case .object(let members) = json else { return nil }
        for name in names {
            if let value = members[name].flatMap(read) { return value }
        }
        return nil
    }

    /// Returns the values of lines such as `accessToken = …`, also with a colon or an arrow, or
    /// `nil` if no line names a token.
    static func object(in text: String) -> JSONValue? {
        var members: [String: JSONValue] = [:]
        for line in text.lines.map(\.unicodeScalars) {
            guard let separator = line.firstIndex(where: "=:→".unicodeScalars.contains) else {
                continue
            }
            let name = PastedPair.bare(Substring(line[..<separator]))
            guard all.contains(name) else { continue }
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

    init(in json: JSONValue) {
        access = StoredNames.first(StoredNames.accessEnds, in: json, as: Self.instant)
        refresh = StoredNames.first(StoredNames.refreshEnds, in: json, as: Self.instant)
    }

    /// Reads seconds since 1970, milliseconds if seconds would be after the year 5138, or ISO 8601.
    private static func instant(_ value: JSONValue) -> ExpiryField.Statement? {
        if let number = value.numberValue, number.isFinite, number > 0 {
            return .instant(Date(timeIntervalSince1970: number > 1e11 ? number / 1000 : number))
        }
        guard let timestamp = value.stringValue.flatMap(Timestamp.init(parsing:)) else {
            return nil
        }
        let date = Date(timeIntervalSince1970: timestamp.local - (timestamp.zoneOffset ?? 0))
        return timestamp.zoneOffset == nil ? .zoneless(date) : .instant(date)
    }
}
