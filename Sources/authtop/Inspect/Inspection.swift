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
    let now: Date
    let clock: ClockFormatter

    // MARK: - Text

    var lines: [String] {
        let size = CountFormatter.bytes(byteCount)
        switch decoded {
        case .opaque: return ["opaque token \(fingerprint), \(size)"]
        case .encrypted:
            return ["encrypted JWT (JWE) \(fingerprint), \(size): only its recipient has the key"]
        case .malformed(let message): return ["malformed JWT \(fingerprint), \(size): \(message)"]
        case .webToken(let token):
            var rows = TextRows()
            for name in ordered(token.header) { add(name, token.header, to: &rows) }
            let headerLines = rows.lines
            rows = TextRows()
            for name in ordered(token.claims) { add(name, token.claims, to: &rows) }
            rows.add("signature", signature)
            for message in skippedKeys { rows.add("", "left out \(message)") }
            let warnings = TokenFindings(token: token, now: now).all.map { "⚠ \($0)" }
            return ["JWT \(fingerprint), \(size)", "header"] + headerLines + ["claims"] + rows.lines
                + warnings
        }
    }

    private var signature: String {
        switch verdict {
        case nil: "not checked: use --jwks URL or --jwks FILE"
        case .valid(let key)?: "valid" + (key.map { ", by key \($0.inOneLine(limit: 40))" } ?? "")
        case .invalid?: "invalid: none of the keys signed this"
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

    /// Returns, for example, `16:20:10, in 14 min 59 s`.
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

    var json: String {
        var members: [String: JSONValue] = [
            "fingerprint": .string(fingerprint.digits), "bytes": .integer(Int64(byteCount)),
        ]
        switch decoded {
        case .opaque: members["format"] = "opaque"
        case .encrypted: members["format"] = "JWE"
        case .malformed(let message):
            members["format"] = "malformed"
            members["message"] = .string(message)
        case .webToken(let token):
            members["format"] = "JWT"
            members["header"] = .object(token.header)
            members["claims"] = .object(token.claims)
            members["findings"] = .array(
                TokenFindings(token: token, now: now).all.map(JSONValue.string)
            )
            members["secondsToExpiry"] = token.expiresAt.map {
                .number((($0 - now.timeIntervalSince1970) * 1000).rounded() / 1000)
            }
            members["signature"] = .string(verdictName)
        }
        return JSONValue.object(members).serialized
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
        if case .malformed = decoded { return false }
        switch verdict {
        case nil, .valid?: return true
        case .invalid?, .unchecked?, .withoutItsKey?: return false
        }
    }
}
