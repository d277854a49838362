package import Basics
package import Model

/// Where an expiry came from.
package enum ExpiryText {
    package static func source(_ source: ExpirySource) -> String {
        switch source {
        case .lifetime: "expires_in"
        case .cookieMaxAge: "the cookie's Max-Age"
        case .webTokenLifetime: "JWT exp − iat"
        case .webTokenExpiry: "JWT exp"
        case .timestamp: "timestamp"
        case .cookieExpires: "the cookie's Expires"
        case .inferredZone: "timestamp, zone inferred"
        case .assumedZone: "timestamp without a zone, read as UTC"
        case .assumedUnit: "lifetime without a unit, read as seconds"
        case .assumed: "assumed: documented default"
        }
    }

    /// For a place with little room.
    static func short(_ source: ExpirySource) -> String {
        switch source {
        case .lifetime: "expires_in"
        case .cookieMaxAge: "Max-Age"
        case .webTokenLifetime: "exp − iat"
        case .webTokenExpiry: "exp"
        case .timestamp: "timestamp"
        case .cookieExpires: "Expires"
        case .inferredZone: "zone inferred"
        case .assumedZone: "read as UTC"
        case .assumedUnit: "read as s"
        case .assumed: "assumed"
        }
    }

    /// `≈15 m`: how long a token lives as stated, in one unit or two; without the mark if no clock
    /// is in it.
    package static func lifetime(_ deadline: Deadline) -> String {
        mark(deadline.expiry.isApproximate) + DurationFormatter.long(deadline.statedLifetime)
    }

    /// `≈` before the end of a token that is assumed, or that depends on the clocks.
    package static func endMark(_ expiry: Expiry) -> String {
        mark(expiry.isAssumed || expiry.isApproximate)
    }

    /// `unlike the profile: access 15 m, refresh 7 d`, or `nil` if both tokens live as documented.
    static func unlikeProfile(_ session: SessionSnapshot, _ pair: PairDescription) -> String? {
        let documented = [TokenKind.access, .refresh].compactMap { kind in
            session.documentedLifetime(otherThanStatedOf: kind, pair)
                .map { "\(kind.rawValue) \(DurationFormatter.long($0))" }
        }
        guard !documented.isEmpty else { return nil }
        return "unlike the profile: \(documented.joined(separator: ", "))"
    }

    static func mark(_ isApproximate: Bool) -> String { isApproximate ? "≈" : "" }

    /// `expires_in is 0: no lifetime`: why a statement gives no expiry.
    static func unusable(_ statement: UnusableExpiry) -> String {
        let place = statement.place
        switch statement.problem {
        case .notPositive:
            return "\(place) is \(number(statement)): no lifetime"
        case .instant: return "\(place) is a time since 1970, not a lifetime"
        case .milliseconds: return "\(place) is in milliseconds, not in seconds"
        case .seconds: return "\(place) is in seconds, not in milliseconds"
        case .unreadable: return "\(place) cannot be read"
        }
    }

    private static func number(_ statement: UnusableExpiry) -> String {
        guard let number = statement.number else { return "no number" }
        return Int(exactly: number).map(String.init) ?? String(number)
    }

    /// `clock ≥ −0.3 s against ours`, or `clock −0.3 s to +1.9 s against ours`.
    static func clock(_ offset: ServerOffset) -> String {
        let low = DurationFormatter.signed(offset.low)
        if let high = offset.high, high < 0 || high - offset.low <= widestClock {
            return "clock \(low) to \(DurationFormatter.signed(high)) against ours"
        }
        return offset.isSeeminglyBehind
            ? "clock ≥ \(low): behind, or its Date is old" : "clock ≥ \(low) against ours"
    }

    /// `at least −0.3 s, at most +48 s`: all that is known.
    static func bounds(_ offset: ServerOffset) -> String {
        let atMost = offset.high.map { ", at most \(DurationFormatter.signed($0))" } ?? ""
        return "at least \(DurationFormatter.signed(offset.low))\(atMost)"
    }

    /// The width of an interval above which its upper end is not worth its room, in seconds.
    private static let widestClock = 60.0

    /// Why nothing is known of an expiry.
    static func unknown(
        _ statements: [UnusableExpiry],
        _ origin: PairDescription.Origin
    ) -> String {
        if let statement = statements.first { return unusable(statement) }
        switch origin {
        case .login, .refresh: return "no answer and no token says it"
        case .resumed, .adopted, .imported, .joined: return "nothing usable is known of it"
        }
    }

    /// `exp − iat 15 m, expires_in 30 m`, or `nil` if nothing disagrees.
    static func mismatch(_ expiry: Expiry) -> String? {
        guard expiry.mismatch.count > 1 else { return nil }
        let readings = expiry.mismatch.map { reading in
            "\(short(reading.source)) \(DurationFormatter.long(reading.stated))"
        }
        return readings.joined(separator: ", ")
    }
}

extension ServerOffset {
    /// Whether something other than the age of a `Date` has to explain it, or would.
    package var isFar: Bool { low > 5 || isSeeminglyBehind }

    /// Whether the server's clock is behind ours, unless its `Date` is older than they are.
    package var isSeeminglyBehind: Bool { likelyHigh < -5 }
}
