import Basics
import Profiles

/// What the names of headers, parameters, cookies and keys say of their values.
enum TokenNames {
    private typealias Role = TokenOccurrence.Role

    static func plain(_ name: some StringProtocol) -> String { SecretNames.plain(name) }

    static func role(ofHeader name: String) -> TokenOccurrence.Role? {
        let name = plain(name)
        return switch name.part(after: "x") ?? name[...] {
        case "authtoken", "accesstoken", "jwt", "jwttoken": .access
        case "refreshtoken": .refresh
        case "sessiontoken": .session
        case "idtoken": .id
        default: nil
        }
    }

    static func role(ofParameter name: String) -> TokenOccurrence.Role? {
        switch plain(name) {
        case "accesstoken", "token", "jwt", "auth", "ticket": .access
        case "refreshtoken": .refresh
        default: nil
        }
    }

    static func role(ofKey name: String) -> TokenOccurrence.Role? {
        switch plain(name) {
        case "accesstoken", "access", "authtoken", "bearertoken", "token", "jwt": .access
        case "refreshtoken", "refresh", "rt": .refresh
        case "sessiontoken": .session
        case "idtoken": .id
        default: nil
        }
    }

    /// Whether a key says only that its value is a token: what holds it may say of which kind.
    static func isAnyToken(_ name: String) -> Bool {
        ["token", "value", "jwt"].contains(plain(name))
    }

    /// Returns the role of a cookie, or `nil` unless it looks like one with a token.
    static func role(ofCookie name: String, value: Secret) -> TokenOccurrence.Role? {
        guard !measuring.contains(where: name.asciiLowercased.begins) else { return nil }
        let name = plain(name)
        guard value.byteCount >= shortestCookie, !name.containsBytes(of: "csrf"),
            !name.containsBytes(of: "xsrf")
        else { return nil }
        if name.containsBytes(of: "refresh") { return .refresh }
        if name.containsBytes(of: "idtoken") { return .id }
        if name.containsBytes(of: "access") || name.containsBytes(of: "jwt") { return .access }
        if name.containsBytes(of: "sess") || name.ends(with: "sid") { return .session }
        if name.containsBytes(of: "auth"), !name.containsBytes(of: "author") { return .session }
        return JSONWebToken(reading: value) == nil ? nil : .access
    }

    /// What the cookies of programs that measure visits begin with: their sessions are no one's.
    private static let measuring = [
        "_hj", "_ga", "_gid", "_dd_", "_fbp", "ajs_", "amp_", "mp_", "ph_", "intercom-",
        "optimizely",
    ]

    /// The size of the shortest value of a cookie that is taken for a token, in bytes.
    static let shortestCookie = 16
    /// The size of the shortest value of a key or parameter that is taken for a token, in bytes.
    static let shortestToken = 8

    /// Whether a key's value is a credential of a user or a client.
    static func isCredential(_ name: String) -> Bool {
        credentials.contains(plain(name))
    }

    private static let credentials: Set = [
        "password", "passwd", "code", "otp", "pin", "assertion", "clientassertion",
        "identitytoken", "devicecode", "clientsecret", "passcode",
    ]

    /// Whether a key's value proves who has sent the request.
    static func isProof(_ name: String) -> Bool {
        let name = plain(name)
        return credentials.contains(name) || isForgeryToken(name)
            || ["codeverifier", "subjecttoken", "actortoken", "secret"].contains(name)
    }

    /// Whether a name is that of a value against forged requests.
    static func isForgeryToken(_ name: String) -> Bool {
        let name = plain(name)
        return name.containsBytes(of: "csrf") || name.containsBytes(of: "xsrf")
    }

    /// Whether a key's value names the user.
    static func isUserName(_ name: String) -> Bool {
        ["email", "username", "user", "login", "phone", "phonenumber"].contains(plain(name))
    }

    /// Whether a key's value is a word of the protocol, or the public name of a client.
    static func isProtocolWord(_ name: String) -> Bool {
        ["granttype", "scope", "audience", "resource", "clientid"].contains(plain(name))
    }

    /// Whether the value of a parameter must not be shown, although it is no token.
    static func isSecret(_ name: String) -> Bool {
        let name = plain(name)
        return credentials.contains(name) || ["auth", "sig"].contains(name)
            || SecretNames.isSecret(name)
            || hidden.contains { name.containsBytes(of: $0) }
    }

    private static let hidden = [
        "assertion", "csrf", "email", "key", "nonce", "sess", "signature", "state",
        "ticket", "verifier", "xsrf",
    ]

    /// Whether a segment of a path says that the next one is a code or a token, as in the addresses
    /// that are sent by mail.
    static func precedesSecret(_ segment: some StringProtocol) -> Bool {
        SecretNames.isSecret(plain(segment)) || precedesMailedSecret(segment)
            || ["session", "sessions"].contains(plain(segment))
    }

    /// Whether a segment is one of those that links in mails have before their codes and tokens.
    static func precedesMailedSecret(_ segment: some StringProtocol) -> Bool {
        let name = plain(segment)
        return beforeSecrets.contains { name.begins(with: $0) }
    }

    private static let beforeSecrets = [
        "accept", "activat", "approve", "autologin", "code", "confirm", "emaillogin",
        "emailverif", "forgot", "invit", "join", "loginlink", "magic", "onetime", "optin",
        "optout", "passwordless", "recover", "redeem", "reset", "setpassword", "signinlink",
        "unlock",
        "unsubscribe", "validat", "verif",
    ]

    /// Whether a segment after such a one is a step of what it begins, and not a secret: a short word, or
    /// one with a part that names something.
    static func isStep(_ segment: some StringProtocol) -> Bool {
        let name = plain(segment)
        return name.utf8.count < shortestToken || steps.contains { name.containsBytes(of: $0) }
    }

    private static let steps = [
        "accept", "account", "activ", "address", "approv", "authenticat", "callback", "cancel",
        "challenge",
        "change", "check", "code", "complet", "confirm", "continu", "creat", "customer", "declin",
        "delet", "device",
        "domain", "email", "error", "exchang", "expired", "fail", "finish", "forgot", "generat",
        "group", "history",
        "identit", "initia", "instruct", "invit", "link", "list", "login", "mail", "member",
        "mobile",
        "newsletter",
        "notification", "number", "order", "organi", "password", "payment", "pending", "phone",
        "preference", "prepar", "process", "profile", "project", "redirect", "refresh", "regist",
        "reject", "remov", "renew", "request",
        "resend", "reset", "revok", "send", "session", "setting", "sign", "start", "status",
        "submit",
        "subscri", "success", "team", "template", "terms", "token", "transaction", "trigger",
        "update", "user",
        "valid", "verif", "webhook", "workspace",
    ]

    /// Whether a key states the life of a token in seconds, and of which.
    static func lifetime(ofKey name: String) -> TokenOccurrence.Role? {
        switch plain(name) {
        case "expiresin", "accesstokenexpiresin", "accessexpiresin", "tokenexpiresin": .access
        case "refreshexpiresin", "refreshtokenexpiresin": .refresh
        default: nil
        }
    }

    /// Whether a key states when the token beside it ends, or how long that lives.
    static func isEnd(_ name: String) -> Bool {
        ["expires", "expiresin", "expiresat", "expiry", "exp"].contains(plain(name))
    }

    /// Whether a key states when a token ends, and of which.
    static func end(ofKey name: String) -> TokenOccurrence.Role? {
        switch plain(name) {
        case "expiresat", "accesstokenexpiresat", "accessexpiresat": .access
        case "refreshexpiresat", "refreshtokenexpiresat": .refresh
        default: nil
        }
    }

    /// Whether a text is what tools write in place of a token that they have taken out, such as
    /// `[redacted]`, `***` or `<access_token removed>`.
    static func isRedacted(_ text: String) -> Bool {
        guard text.utf8.count <= longestRedaction else { return false }
        let bytes = text.utf8.map(\.asciiLowercased)
        let letters = bytes.filter {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        }
        // Stars, dots or crosses alone.
        if Set(text.unicodeScalars).count == 1, bytes.count > 2 {
            return letters.isEmpty || bytes.first == UInt8(ascii: "x")
        }
        let words = bytes.split { !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
        return letters.count < longestRedaction / 2
            && words.contains { redactions.contains(String(decoding: $0, as: UTF8.self)) }
    }

    private static let redactions: Set = [
        "redacted", "removed", "masked", "filtered", "scrubbed", "sanitized", "anonymized",
        "omitted", "hidden",
    ]
    /// The size of the longest of them with what is around it, in bytes.
    private static let longestRedaction = 48

    /// Texts that a program writes in place of a token that it does not have.
    static let placeholders: Set = ["undefined", "null", "nan", "none", "nil", "[object", "false"]
}
