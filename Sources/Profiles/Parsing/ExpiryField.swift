import Basics
import FoundationEssentials

/// The place in a response where a token's expiry is stated, and its format.
struct ExpiryField: Sendable, Hashable {
    enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Seconds from the response.
        case seconds
        /// Seconds from the response, of which 0 states no end.
        case secondsUnlessZero = "seconds_unless_zero"
        /// Milliseconds from the response.
        case milliseconds
        case unixSeconds = "unix_seconds"
        case unixMilliseconds = "unix_milliseconds"
        /// A date and time with or without a time zone.
        case iso8601
        case httpDate = "http_date"
        /// `Max-Age`, else `Expires`, of the cookie that is the token.
        case cookie
    }

    var kind: Kind
    var place: JSONLocation

    /// The field as a dialect's file writes it.
    var text: String {
        // The place says that it is a cookie.
        kind == .cookie ? place.text : "\(kind.rawValue):\(place.text)"
    }

    /// The value of the field, before the zone of a local time is determined.
    enum Statement: Sendable, Hashable {
        case lifetime(Double)
        case instant(Date)
        case maxAge(Double)
        case cookieExpires(Date)
        /// A local time, read as UTC.
        case zoneless(Date)
        case unusable(UnusableExpiry)
    }

    /// Returns the value of the field, or `nil` if it is absent or empty.
    func statement(in response: WireResponse, _ body: JSONValue) -> Statement? {
        if case .cookie(let name) = place, kind == .cookie {
            return cookieStatement(name, in: response)
        }
        guard let value = place.value(in: response, body), value != .null, value != .string("")
        else { return nil }
        let number = value.numberValue.flatMap { $0.isFinite ? $0 : nil }
        switch kind {
        case .seconds: return lifetime(number, in: .seconds)
        case .secondsUnlessZero: return number == 0 ? nil : lifetime(number, in: .seconds)
        case .milliseconds: return lifetime(number, in: .milliseconds)
        case .unixSeconds, .unixMilliseconds: return instant(number)
        case .iso8601:
            guard let timestamp = value.stringValue.flatMap(Timestamp.init(parsing:)) else {
                return unusable(.unreadable, number)
            }
            guard let offset = timestamp.zoneOffset else {
                return .zoneless(Date(timeIntervalSince1970: timestamp.local))
            }
            return instant(at: timestamp.local - offset)
        case .httpDate:
            guard let date = value.stringValue.flatMap(HTTPDate.parse) else {
                return unusable(.unreadable, number)
            }
            return instant(at: date.timeIntervalSince1970)
        case .cookie: return nil
        }
    }

    /// Returns what a cookie states of its own end (RFC 6265 section 5.3); one of the browser's
    /// session states none.
    private func cookieStatement(_ name: String, in response: WireResponse) -> Statement? {
        guard case .set(let cookie)? = SetCookie.change(of: name, in: response) else { return nil }
        if let seconds = cookie.maxAge { return .maxAge(min(seconds, DurationParser.longest)) }
        if let date = cookie.expires { return .cookieExpires(date) }
        return cookie.isExpiresUnreadable ? unusable(.unreadable, nil) : nil
    }

    /// Returns the lifetime that a number stands for.
    private func lifetime(_ number: Double?, in unit: LifetimeUnit) -> Statement {
        guard let number else { return unusable(.unreadable, nil) }
        guard number > 0 else { return unusable(.notPositive, number) }
        let seconds = unit.seconds(number)
        let instants = UnusableExpiry.instants
        guard !instants.contains(seconds), !instants.contains(seconds / 1_000) else {
            return unusable(.instant, number)
        }
        return .lifetime(min(seconds, DurationParser.longest))
    }

    /// Returns the time that a number stands for; 0 means absent, never 1970.
    private func instant(_ number: Double?) -> Statement? {
        guard let number else { return unusable(.unreadable, nil) }
        guard number != 0 else { return nil }
        let milliseconds = UnusableExpiry.milliseconds
        switch kind {
        case .unixSeconds where milliseconds.contains(number):
            return unusable(.milliseconds, number)
        case .unixMilliseconds where number > 0 && number < milliseconds.lowerBound:
            return UnusableExpiry.never.contains(number) ? nil : unusable(.seconds, number)
        case .unixMilliseconds: return instant(at: number / 1_000)
        default: return instant(at: number)
        }
    }

    /// Returns a time after the epoch, or `nil` for the end of the year 9999 and the like, which state
    /// no end.
    private func instant(at seconds: Double) -> Statement? {
        guard !UnusableExpiry.never.contains(seconds) else { return nil }
        guard seconds > 0, seconds < UnusableExpiry.never.lowerBound else {
            return unusable(.unreadable, seconds)
        }
        return .instant(Date(timeIntervalSince1970: seconds))
    }

    private func unusable(_ problem: UnusableExpiry.Problem, _ number: Double?) -> Statement {
        .unusable(UnusableExpiry(place: place.text, problem: problem, number: number))
    }
}
