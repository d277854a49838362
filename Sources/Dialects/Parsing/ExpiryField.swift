import FoundationEssentials
import Tokens

/// The place in a response where a token's expiry is stated, and its format.
struct ExpiryField: Sendable, Hashable {
    enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Seconds from the response.
        case seconds
        case unixSeconds = "unix_seconds"
        case unixMilliseconds = "unix_milliseconds"
        /// A date and time with or without a time zone.
        case iso8601
        case httpDate = "http_date"
    }

    var kind: Kind
    var place: JSONLocation

    /// The value of the field, before the zone of a local time is determined.
    enum Statement: Sendable, Hashable {
        case lifetime(Double)
        case instant(Date)
        /// A local time, read as UTC.
        case zoneless(Date)
    }

    /// Returns the value of the field, or `nil` if it is absent, empty, of another type, or out of
    /// range.
    func statement(in response: WireResponse, _ body: JSONValue) -> Statement? {
        guard let value = place.value(in: response, body) else { return nil }
        switch kind {
        case .seconds:
            guard let seconds = value.numberValue, seconds.isFinite, seconds > 0 else {
                return nil
            }
            return .lifetime(min(seconds, DurationParser.longest))
        case .unixSeconds:
            return value.numberValue.flatMap(Self.instant)
        case .unixMilliseconds:
            return value.numberValue.flatMap { Self.instant($0 / 1000) }
        case .iso8601:
            guard let timestamp = value.stringValue.flatMap(Timestamp.init(parsing:)) else {
                return nil
            }
            guard let offset = timestamp.zoneOffset else {
                return .zoneless(Date(timeIntervalSince1970: timestamp.local))
            }
            return Self.instant(timestamp.local - offset)
        case .httpDate:
            return value.stringValue.flatMap(HTTPDate.parse)
                .flatMap { Self.instant($0.timeIntervalSince1970) }
        }
    }

    /// Returns a time after the epoch and before the year 10000: 0 means absent, never 1970.
    private static func instant(_ seconds: Double) -> Statement? {
        guard seconds.isFinite, seconds > 0, seconds <= 253_402_300_799 else { return nil }
        return .instant(Date(timeIntervalSince1970: seconds))
    }
}
