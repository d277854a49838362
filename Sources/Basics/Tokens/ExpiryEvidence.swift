package import FoundationEssentials

/// One statement about when a token expires, made by a response or by the token itself.
package enum ExpiryEvidence: Sendable, Hashable {
    /// Seconds from the response, such as `expires_in` (RFC 6749 section 5.1).
    case lifetime(seconds: Double)
    /// The `Max-Age` of the cookie that is the token, in seconds (RFC 6265 section 5.2.2).
    case cookieMaxAge(seconds: Double)
    /// The token's own `exp` and `iat`, in seconds since 1970.
    case webToken(expiresAt: Double, issuedAt: Double?)
    /// An absolute time whose zone is known.
    case instant(Date)
    /// The `Expires` of the cookie that is the token (RFC 6265 section 5.2.1).
    case cookieExpires(Date)
    /// A time that was written without a time zone, read in the zone that the dialect's rule
    /// determined.
    case inferredZone(Date)
    /// A time that was written without a time zone, read as UTC because nothing tells its zone.
    case assumedZone(Date)
    /// A lifetime under a name that states no unit, read as seconds.
    case assumedUnit(seconds: Double)
    /// The lifetime that the backend's documentation states, in seconds; the response stated none.
    case documented(seconds: Double)
    /// A statement that gives no expiry.
    case unusable(UnusableExpiry)

    /// The source of the expiry, or `nil` if the statement gives none.
    var source: ExpirySource? {
        switch self {
        case .lifetime: .lifetime
        case .cookieMaxAge: .cookieMaxAge
        case .webToken(_, let issuedAt): issuedAt == nil ? .webTokenExpiry : .webTokenLifetime
        case .instant: .timestamp
        case .cookieExpires: .cookieExpires
        case .inferredZone: .inferredZone
        case .assumedZone: .assumedZone
        case .assumedUnit: .assumedUnit
        case .documented: .assumed
        case .unusable: nil
        }
    }
}

/// The source of an expiry.
package enum ExpirySource: String, Sendable, Hashable, Codable, CaseIterable {
    case lifetime = "expires_in"
    case cookieMaxAge = "cookie Max-Age"
    case webTokenLifetime = "JWT exp − iat"
    case webTokenExpiry = "JWT exp"
    case timestamp = "timestamp"
    case cookieExpires = "cookie Expires"
    case inferredZone = "timestamp, zone inferred"
    case assumedZone = "timestamp, read as UTC"
    case assumedUnit = "lifetime, read as seconds"
    case assumed = "assumed"

    /// Whether it is a time that was written without its zone, so that it may be read in another
    /// one than is meant.
    package var isWithoutZone: Bool { self == .inferredZone || self == .assumedZone }

    /// Whether it says how long a cookie is kept, which may be longer than the token in it lives.
    package var isOfCookie: Bool { self == .cookieMaxAge || self == .cookieExpires }

    /// Whether an expiry from it depends on the clocks of both sides.
    package var dependsOnClocks: Bool {
        switch self {
        case .webTokenExpiry, .timestamp, .cookieExpires, .inferredZone, .assumedZone: true
        case .lifetime, .cookieMaxAge, .webTokenLifetime, .assumedUnit, .assumed: false
        }
    }
}

/// The expiry of a token, relative to the moment its request was sent.
package struct Expiry: Sendable, Hashable, Codable {
    /// The expiry according to one piece of evidence.
    package struct Reading: Sendable, Hashable, Codable {
        package let source: ExpirySource
        /// Seconds from the moment the request was sent; negative if already expired.
        package let seconds: Double
        /// The time that was taken off, in seconds: the token's times are whole seconds, so that it
        /// may expire that much earlier than it says.
        package let margin: Double

        package init(source: ExpirySource, seconds: Double, margin: Double = 0) {
            self.source = source
            self.seconds = seconds
            self.margin = margin
        }

        /// In seconds, as it is stated.
        package var stated: Double { seconds + margin }
    }

    /// The earliest expiry that the evidence allows, in seconds from the moment the request was
    /// sent; negative if the token had already expired on arrival.
    package let seconds: Double
    package let source: ExpirySource
    /// The width of the clock interval that the value depends on, in seconds; 0 for relative
    /// lifetimes, which do not depend on the wall clock.
    package let skewWidth: Double
    /// By how many seconds `seconds` is earlier than what is stated.
    package let margin: Double
    /// Two readings that differ by more than max(5 s, 2 % of the lifetime), the trusted source
    /// first; otherwise empty.
    package let mismatch: [Reading]

    package init(
        seconds: Double,
        source: ExpirySource,
        skewWidth: Double = 0,
        margin: Double = 0,
        mismatch: [Reading] = []
    ) {
        self.seconds = seconds
        self.source = source
        self.skewWidth = skewWidth
        self.margin = margin
        self.mismatch = mismatch
    }

    package var isAssumed: Bool { source == .assumed }

    /// Whether the clocks of both sides are in it, whose difference is known to an interval only.
    package var isApproximate: Bool { skewWidth > 0 }

    /// The assumed width of an unknown clock difference, in seconds.
    static let unknownSkewWidth = 5.0

    /// Weighs all the evidence about one token.
    ///
    /// The sources are trusted in the order in which `ExpirySource` lists them. If two of them
    /// disagree, the earlier expiry counts and both are reported. A documented default never counts
    /// as a disagreement.
    ///
    /// - Parameters:
    ///   - evidence: The evidence, in any order.
    ///   - sentAt: The wall clock when the request was sent.
    ///   - offset: The server's clock relative to ours, or `nil` while no response carried `Date`.
    /// - Returns: The expiry, or `nil` if none is known, which does not mean that the token never
    ///   expires.
    package static func weighing(
        _ evidence: [ExpiryEvidence],
        sentAt: Date,
        offset: ServerOffset?
    ) -> Expiry? {
        let readings = evidence.flatMap { read($0, sentAt: sentAt, offset: offset) }
            .filter(\.reading.seconds.isFinite)
            .sorted { $0.reading.source.rank < $1.reading.source.rank }
        guard let trusted = readings.first else { return nil }
        let stated = readings.filter { $0.reading.source != .assumed }
        let earliest = stated.min { $0.reading.seconds < $1.reading.seconds } ?? trusted
        let latest = stated.max { $0.reading.seconds < $1.reading.seconds } ?? trusted
        let tolerance = max(5, 0.02 * abs(trusted.reading.seconds))
        guard latest.reading.seconds - earliest.reading.seconds > tolerance else {
            return Expiry(
                seconds: trusted.reading.seconds,
                source: trusted.reading.source,
                skewWidth: trusted.skewWidth,
                margin: trusted.reading.margin
            )
        }
        return Expiry(
            seconds: earliest.reading.seconds,
            source: earliest.reading.source,
            skewWidth: earliest.skewWidth,
            margin: earliest.reading.margin,
            mismatch: stated.map(\.reading)
        )
    }

    private typealias Weighed = (reading: Reading, skewWidth: Double)

    private static func read(
        _ evidence: ExpiryEvidence,
        sentAt: Date,
        offset: ServerOffset?
    ) -> [Weighed] {
        func until(_ date: Date, _ source: ExpirySource) -> Weighed {
            let serverNow = sentAt.timeIntervalSince1970 + (offset?.likelyHigh ?? 0)
            let seconds = date.timeIntervalSince1970 - serverNow
            let width = offset?.likelyWidth ?? unknownSkewWidth
            return (Reading(source: source, seconds: seconds), width)
        }
        switch evidence {
        case .lifetime(let seconds):
            return [(Reading(source: .lifetime, seconds: seconds), 0)]
        case .cookieMaxAge(let seconds):
            return [(Reading(source: .cookieMaxAge, seconds: seconds), 0)]
        case .assumedUnit(let seconds):
            return [(Reading(source: .assumedUnit, seconds: seconds), 0)]
        case .documented(let seconds):
            return [(Reading(source: .assumed, seconds: seconds), 0)]
        case .unusable:
            return []
        case .instant(let date):
            return [until(date, .timestamp)]
        case .cookieExpires(let date):
            return [until(date, .cookieExpires)]
        case .inferredZone(let date):
            return [until(date, .inferredZone)]
        case .assumedZone(let date):
            return [until(date, .assumedZone)]
        case .webToken(let expiresAt, let issuedAt):
            let remainder = until(Date(timeIntervalSince1970: expiresAt), .webTokenExpiry)
            guard let issuedAt else { return [remainder] }
            // A token that was issued at x.9 s with times in whole seconds expires up to a second
            // early. One that lives for a second or two is not taken for expired because of that.
            let whole = expiresAt == expiresAt.rounded() && issuedAt == issuedAt.rounded()
            let stated = expiresAt - issuedAt
            let margin = whole ? max(0, min(1, stated / 2)) : 0
            let seconds = stated - margin
            let reading = Reading(source: .webTokenLifetime, seconds: seconds, margin: margin)
            let lifetime: Weighed = (reading, 0)
            if isPresent(issuedAt, sentAt: sentAt, offset: offset) { return [lifetime] }
            return offset == nil ? [lifetime, remainder] : [remainder]
        }
    }

    /// Returns whether `iat` lies within 5 s of the server's present time, according to `Date` or
    /// authtop's own clock.
    ///
    /// If it does, the token's lifetime is relative, and no clock matters. If it does not:
    ///
    /// - If the server sends its time, the token is an older one, for example from a cache, and the
    ///   remainder of its life runs to `exp`. Our own clock may be wrong by hours, since `offset`
    ///   corrects for it.
    /// - Without `Date`, authtop's clock or the token is wrong, and it is unknown which. Both
    ///   readings are evidence: the earlier one counts, and the mismatch is reported.
    ///
    /// If authtop's clock and the token agree, `Date` is wrong: it comes from a cache or a proxy,
    /// and is no reason to treat the token as expired.
    private static func isPresent(
        _ issuedAt: Double,
        sentAt: Date,
        offset: ServerOffset?
    ) -> Bool {
        let now = sentAt.timeIntervalSince1970
        if abs(issuedAt - now) <= 5 { return true }
        guard let offset else { return false }
        return issuedAt >= now + offset.low - 5 && issuedAt <= now + offset.likelyHigh + 5
    }
}

extension ExpirySource {
    fileprivate var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

// Earlier records and recordings have no `margin`.
extension Expiry {
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        seconds = try values.decode(Double.self, forKey: .seconds)
        source = try values.decode(ExpirySource.self, forKey: .source)
        skewWidth = try values.decode(Double.self, forKey: .skewWidth)
        margin = try values.decodeIfPresent(Double.self, forKey: .margin) ?? 0
        mismatch = try values.decode([Reading].self, forKey: .mismatch)
    }
}

extension Expiry.Reading {
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        source = try values.decode(ExpirySource.self, forKey: .source)
        seconds = try values.decode(Double.self, forKey: .seconds)
        margin = try values.decodeIfPresent(Double.self, forKey: .margin) ?? 0
    }
}
