import Basics
import FoundationEssentials
import UI

/// Irregularities in a token's header and claims, as text.
struct TokenFindings {
    /// The lifetime of an access token above which it is reported as long, in seconds.
    static let usualLife = 86_400.0
    /// The assumed difference between clocks, in seconds.
    static let tolerance = 5.0

    /// From the year 9000, a time is not meant as one: "never" is often the end of the year 9999.
    static let endOfTime = 221_845_392_000.0

    let token: SignedToken
    let now: Date

    var all: [String] {
        [algorithm, token.criticalFault, unencoded].compactMap(\.self) + units + times
    }

    private var algorithm: String? {
        guard let name = token.algorithm else { return "no alg: the kind of signature is unknown" }
        guard name.asciiLowercased == "none" else { return nil }
        return "alg none: it is not signed, so anyone can have written it"
    }

    private var unencoded: String? {
        guard token.header["b64"] == false else { return nil }
        return "b64 false: its payload is not encoded, which a JWT must not be (RFC 7797 section 7)"
    }

    private var web: JSONWebToken? {
        guard case .claims(let web) = token.payload else { return nil }
        return web
    }

    private var units: [String] {
        ["iat", "nbf", "exp"].compactMap { name in
            guard let value = web?.claims[name] else { return nil }
            switch value {
            case .integer, .number: break
            case .null, .bool, .string, .array, .object: return "\(name) is not a number of seconds"
            }
            guard let number = value.numberValue else { return nil }
            if number < 0 { return "\(name) is negative: a time before 1970" }
            guard isSeconds(number) else {
                return "\(name) seems to be in milliseconds: RFC 7519 requires seconds"
            }
            return nil
        }
    }

    private var times: [String] {
        guard let web else { return [] }
        let present = now.timeIntervalSince1970
        var found: [String] = []
        if let issued = web.issuedAt, issued > present + Self.tolerance, isSeconds(issued) {
            let ahead = DurationFormatter.long(issued - present)
            found.append("issued \(ahead) in the future: compare the clocks")
        }
        if let start = web.notBefore, start > present, isSeconds(start) {
            found.append("not valid yet: nbf is in \(DurationFormatter.long(start - present))")
        }
        guard let end = web.expiresAt else {
            if web.claims["exp"] == nil {
                found.append("no exp: the token does not say when it expires")
            }
            return found
        }
        guard end < Self.endOfTime else {
            if isSeconds(end) { found.append("never expires: exp is in the year 9000 or later") }
            return found
        }
        if end <= present { found.append("expired \(DurationFormatter.long(present - end)) ago") }
        guard let issued = web.issuedAt else { return found }
        if end < issued { found.append("exp is before iat: it expired before it was issued") }
        if end - issued > Self.usualLife, !saysRefresh(web) {
            let life = DurationFormatter.long(end - issued)
            found.append("lives \(life): long for an access token, which cannot be revoked")
        }
        return found
    }

    /// Whether a time is in seconds since 1970: the end of the year 9999 is; another one of that
    /// size is a present time in milliseconds.
    private func isSeconds(_ time: Double) -> Bool {
        time < UnusableExpiry.milliseconds.lowerBound
            || (Self.endOfTime...253_402_300_800).contains(time)
    }

    private func saysRefresh(_ web: JSONWebToken) -> Bool {
        ["type", "typ", "token_type", "token_use", "tokenType"].contains { name in
            let value = (web.claims[name] ?? web.header[name])?.stringValue
            return value?.asciiLowercased.containsBytes(of: "refresh") ?? false
        }
    }
}
