import Dashboard
import FoundationEssentials
import Tokens

/// What is odd about a token's claims, as text.
struct TokenFindings {
    /// Longer lives are not usual for an access token, in seconds.
    static let usualLife = 86_400.0
    /// As far as clocks differ, in seconds.
    static let tolerance = 5.0
    /// Seconds beyond the year 5138, and milliseconds after 1973.
    static let milliseconds = 1e11

    let token: JSONWebToken
    let now: Date

    var all: [String] {
        [algorithm].compactMap(\.self) + units + times
    }

    private var algorithm: String? {
        guard let name = token.algorithm else { return "no alg: nothing says how it is signed" }
        guard name.lowercased() == "none" else { return nil }
        return "alg none: it is not signed, so anybody can have written it"
    }

    private var units: [String] {
        ["iat", "nbf", "exp"].compactMap { name in
            guard let value = token.claims[name] else { return nil }
            switch value {
            case .integer, .number: break
            case .null, .bool, .string, .array, .object: return "\(name) is no number of seconds"
            }
            guard let number = value.numberValue, abs(number) > Self.milliseconds else {
                return nil
            }
            return "\(name) is in milliseconds, it seems: RFC 7519 wants seconds"
        }
    }

    private var times: [String] {
        let present = now.timeIntervalSince1970
        var found: [String] = []
        if let issued = token.issuedAt, issued > present + Self.tolerance, isSeconds(issued) {
            let ahead = DurationFormatter.long(issued - present)
            found.append("issued \(ahead) in the future: compare the clocks")
        }
        if let start = token.notBefore, start > present, isSeconds(start) {
            found.append("not valid yet: nbf is in \(DurationFormatter.long(start - present))")
        }
        guard let end = token.expiresAt else {
            if token.claims["exp"] == nil {
                found.append("no exp: nothing in it says when it ends")
            }
            return found
        }
        if end <= present { found.append("expired \(DurationFormatter.long(present - end)) ago") }
        guard let issued = token.issuedAt else { return found }
        if end < issued { found.append("exp is before iat: it was over before it began") }
        if end - issued > Self.usualLife, !saysRefresh {
            let life = DurationFormatter.long(end - issued)
            found.append("lives \(life): long for an access token, which cannot be taken back")
        }
        return found
    }

    private func isSeconds(_ time: Double) -> Bool { time < Self.milliseconds }

    private var saysRefresh: Bool {
        ["type", "typ", "token_type", "token_use", "tokenType"].contains { name in
            let value = (token.claims[name] ?? token.header[name])?.stringValue
            return value?.lowercased().contains("refresh") ?? false
        }
    }
}
