import Basics
import FoundationEssentials
import Profiles
import UI

/// A decoded token, described without showing the token.
struct Inspection {
    let fingerprint: Fingerprint
    let byteCount: Int
    let decoded: DecodedToken
    /// The verdict on its signature, or `nil` if no keys were given.
    let verdict: SignatureCheck.Verdict?
    let skippedKeys: [String]
    let keyRemarks: [String]
    /// The token in the token.
    let nested: [Inspection]
    let now: Date
    let clock: ClockFormatter

    // MARK: - Text

    var lines: [String] {
        let size = CountFormatter.bytes(byteCount)
        switch decoded {
        case .opaque: return ["opaque token \(fingerprint), \(size)"]
        case .encrypted(let token):
            return ["encrypted JWT (JWE) \(fingerprint), \(size): only its recipient has the key"]
                + headerLines(token.header) + partLines(token)
        case .malformed(let message): return ["malformed JWT \(fingerprint), \(size): \(message)"]
        case .signed(let token):
            let warnings = findings(of: token).map { "⚠ \($0)" }
            return [title(of: token, size)] + headerLines(token.header) + payloadLines(token)
                + warnings
        }
    }

    private func title(of token: SignedToken, _ size: String) -> String {
        if let fault = token.payloadFault {
            return "malformed JWT \(fingerprint), \(size): \(fault)"
        }
        return switch token.payload {
        case .claims: "JWT \(fingerprint), \(size)"
        case .token: "JWT \(fingerprint), \(size): its payload is another token"
        case .bytes: "JWS \(fingerprint), \(size): its payload is no JSON object"
        }
    }

    private func headerLines(_ header: [String: JSONValue]) -> [String] {
        var rows = TextRows()
        for name in ordered(header) { add(name, header, to: &rows) }
        return ["header"] + rows.lines
    }

    private func payloadLines(_ token: SignedToken) -> [String] {
        var rows = TextRows()
        let title: String
        switch token.payload {
        case .claims(let web):
            title = "claims"
            for name in ordered(web.claims) { add(name, web.claims, to: &rows) }
        case .token:
            title = "payload"
        case .bytes(let bytes):
            title = "payload"
            rows.add("size", CountFormatter.bytes(bytes.count))
            if let text = String(validating: bytes, as: UTF8.self), !text.isEmpty {
                rows.add("text", text.inOneLine(limit: 400))
            }
        }
        let inner = nested.flatMap(\.lines).map { "  \($0)" }
        let above = rows.lines
        rows = TextRows()
        rows.add("signature", signature)
        for message in skippedKeys { rows.add("", "left out \(message)") }
        for message in keyRemarks { rows.add("", "⚠ \(message)") }
        return [title] + above + inner + rows.lines
    }

    private func partLines(_ token: EncryptedToken) -> [String] {
        var rows = TextRows()
        rows.add("key", token.encryptedKey == 0 ? "none" : CountFormatter.bytes(token.encryptedKey))
        rows.add("iv", CountFormatter.bytes(token.initializationVector))
        rows.add("ciphertext", CountFormatter.bytes(token.ciphertext))
        rows.add("tag", CountFormatter.bytes(token.authenticationTag))
        return ["encrypted"] + rows.lines
    }

    private func findings(of token: SignedToken) -> [String] {
        TokenFindings(token: token, now: now).all
    }

    private var signature: String {
        switch verdict {
        case nil: "not checked: use --jwks, or --secret-prompt for a shared secret"
        case .valid(let key)?: "valid" + (key.map { ", by key \($0.inOneLine(limit: 40))" } ?? "")
        case .invalid(let reason)?: "invalid: \(reason)"
        case .unchecked(let message)?, .withoutItsKey(let message)?: "not verified: \(message)"
        }
    }

    private func add(_ name: String, _ members: [String: JSONValue], to rows: inout TextRows) {
        guard let value = members[name] else { return }
        var text = (value.displayText ?? value.serialized).inOneLine(limit: 400)
        if Self.dates.contains(name), let seconds = value.numberValue, abs(seconds) < 1e11 {
            text += " (\(when(seconds)))"
        }
        rows.add(name.inOneLine(limit: 30), text)
    }

    /// Returns, for example, `16:20:10, in 14 m 59 s`.
    private func when(_ seconds: Double) -> String {
        let date = Date(timeIntervalSince1970: seconds)
        let left = date.timeIntervalSince(now)
        let length = DurationFormatter.long(abs(left))
        return clock.when(date, now: now) + (left >= 0 ? ", in \(length)" : ", \(length) ago")
    }

    private static let dates: Set<String> = ["exp", "iat", "nbf", "auth_time"]
    private static let registered = [
        "alg", "typ", "kid", "iss", "sub", "aud", "exp", "nbf", "iat", "jti",
    ]

    /// Returns the registered names first (RFC 7519 section 4.1), then the others by name.
    private func ordered(_ members: [String: JSONValue]) -> [String] {
        Self.registered.filter { members[$0] != nil }
            + members.keys.filter { !Self.registered.contains($0) }.sorted()
    }

    // MARK: - JSON

    var json: String { JSONValue.object(members).serialized }

    private var members: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "fingerprint": .string(fingerprint.digits), "bytes": .integer(Int64(byteCount)),
        ]
        switch decoded {
        case .opaque: members["format"] = "opaque"
        case .encrypted(let token):
            members["format"] = "JWE"
            members["header"] = .object(token.header)
            members["parts"] = .object([
                "encryptedKey": .integer(Int64(token.encryptedKey)),
                "initializationVector": .integer(Int64(token.initializationVector)),
                "ciphertext": .integer(Int64(token.ciphertext)),
                "authenticationTag": .integer(Int64(token.authenticationTag)),
            ])
        case .malformed(let message):
            members["format"] = "malformed"
            members["message"] = .string(message)
        case .signed(let token):
            members["header"] = .object(token.header)
            members["findings"] = .array(findings(of: token).map(JSONValue.string))
            members["signature"] = .string(verdictName)
            members["leftOut"] =
                skippedKeys.isEmpty ? nil : .array(skippedKeys.map(JSONValue.string))
            members["keyRemarks"] =
                keyRemarks.isEmpty ? nil : .array(keyRemarks.map(JSONValue.string))
            addPayload(of: token, to: &members)
        }
        return members
    }

    private func addPayload(of token: SignedToken, to members: inout [String: JSONValue]) {
        members["format"] = "JWT"
        switch token.payload {
        case .claims(let web):
            members["claims"] = .object(web.claims)
            members["secondsToExpiry"] = web.expiresAt.map {
                .number((($0 - now.timeIntervalSince1970) * 1000).rounded() / 1000)
            }
        case .token: members["nested"] = nested.first.map { .object($0.members) }
        case .bytes(let bytes):
            members["format"] = token.payloadFault == nil ? "JWS" : "malformed"
            members["message"] = token.payloadFault.map(JSONValue.string)
            members["payload"] = String(validating: bytes, as: UTF8.self).map(JSONValue.string)
        }
    }

    private var verdictName: String {
        switch verdict {
        case nil: "notChecked"
        case .valid?: "valid"
        case .invalid?: "invalid"
        case .unchecked?, .withoutItsKey?: "notVerified"
        }
    }

    // MARK: - Exit code

    /// Whether the token is well-formed, and its signature valid if there are keys to verify it.
    var isSound: Bool {
        switch decoded {
        case .malformed: return false
        case .opaque, .encrypted: return true
        case .signed(let token):
            guard token.payloadFault == nil, nested.allSatisfy(\.isSound) else { return false }
        }
        return switch verdict {
        case nil, .valid?: true
        case .invalid?, .unchecked?, .withoutItsKey?: false
        }
    }
}
