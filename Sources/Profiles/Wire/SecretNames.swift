import Basics

/// Names under which messages have secrets, whatever the rest of them is.
package enum SecretNames {
    /// Returns a name without what it may be written with: case, `_`, `-` and `.`.
    ///
    /// Letters that are not ASCII stay: no name that means anything has one.
    package static func plain(_ name: some StringProtocol) -> String {
        let bytes = name.utf8.lazy.map(\.asciiLowercased)
            .filter {
                $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ".")
            }
        return String(decoding: Array(bytes), as: UTF8.self)
    }

    /// Whether a name says that its value is a secret, or holds secrets.
    package static func isSecret(_ name: some StringProtocol) -> Bool {
        guard name.utf8.count <= 64 else { return false }
        let name = plain(name)
        return whole.contains(name) || isCode(name)
            || !facts.contains(name) && parts.contains { name.containsBytes(of: $0) }
    }

    /// Whether a name says that its value is a code that is good for a login, which may be a number.
    package static func isCode(_ name: some StringProtocol) -> Bool {
        let name = plain(name)
        guard !codes.contains(name) else { return true }
        guard name.ends(with: "code") || name.ends(with: "codes"),
            !["error", "status", "reason"].contains(where: name.containsBytes)
        else { return false }
        return codeKinds.contains { name.begins(with: $0) }
    }

    /// Whether a name is that of secrets themselves, and not of something about them, as
    /// `token_type_hint` is.
    package static func holdsSecret(_ name: some StringProtocol) -> Bool {
        guard isSecret(name) else { return false }
        let name = plain(name)
        return whole.contains(name) || isCode(name)
            || parts.contains { part in
                ["", "s", "value"].contains { name.ends(with: part + $0) }
            }
    }

    /// Whether a name says something of a secret beside it, and holds none itself.
    package static func isFact(_ name: some StringProtocol) -> Bool {
        let name = plain(name)
        return facts.contains(name) || factStarts.contains { name.begins(with: $0) }
    }

    private static let parts = [
        "token", "secret", "password", "passwd", "passphrase", "passcode", "jwt", "cookie",
        "authorization", "credential", "otp", "apikey", "accesskey", "authkey", "masterkey",
        "privatekey", "secretkey", "sessionkey", "signingkey", "sessid", "sessionid",
    ]
    private static let whole: Set = ["sid", "connectsid", "sessionhandle"]
    private static let codes: Set = ["otp", "totp", "pin", "passcode", "mfacode"]
    private static let codeKinds = [
        "activation", "auth", "backup", "confirm", "device", "email", "invit", "login", "magic",
        "mfa", "onetime", "otp", "phone", "recovery", "reset", "security", "sms", "totp",
        "twofactor", "user", "verif",
    ]
    private static let facts: Set = ["tokentype", "scope", "scopes", "type", "iat", "exp", "ttl"]
    private static let factStarts = [
        "created", "expir", "issued", "lifetime", "updated", "validfrom", "validuntil",
    ]
}
