import Basics
import FoundationEssentials
import UI

/// Irregularities in a token's claims, as text.
struct TokenFindings {
    /// The lifetime of an access token above which it is reported as long, in seconds.
    static let usualLife = 86_400.0
    /// The assumed difference between clocks, in seconds.
    static let tolerance = 5.0

    let token: JSONWebToken
    let now: Date

    var all: [String] {
        [algorithm].compactMap(\.self) + units + times
    }

    private var algorithm: String? {
        guard let name = token.algorithm else { return "no alg: the kind of signature is unknown" }
        guard name.asciiLowercased == "none" else { return nil }
        return "alg none: it is not signed, so anyone can have written it"
    }

    private var units: [String] {
        ["iat", "nbf", "exp"].compactMap { name in
            guard let value = token.claims[name] else { return nil }
            switch value {
            case .integer, .number: break
            case .null, .bool, .string, .array, .object: return "\(name) is not a number of seconds"
            }
            guard let number = value.numberValue,
                abs(number) > UnusableExpiry.milliseconds.lowerBound
            else {
                return nil
            }
            return "\(name) seems to be in milliseconds: RFC 7519 requires seconds"
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
                found.append("no exp: the token does not say when it expires")
            }
            return found
        }
        if end <= present { found.append("expired \(DurationFormatter.long(present - end)) ago") }
        guard let issued = token.issuedAt else { return found }
        if end < issued { found.append("exp is before iat: it expired before it was issued") }
        if end - issued > Self.usualLife, !saysRefresh {
            let life = DurationFormatter.long(end - issued)
            found.append("lives \(life): long for an access token, which cannot be revoked")
        }
        return found
    }

    private func isSeconds(_ time: Double) -> Bool { time < UnusableExpiry.milliseconds.lowerBound }

    private var saysRefresh: Bool {
        ["type", "typ", "token_type", "token_use", "tokenType"].contains { name in
            let value = (token.claims[name] ?? token.header[name])?.stringValue
            return value?.asciiLowercased.containsBytes(of: "refresh") ?? false
        }
    }
}
