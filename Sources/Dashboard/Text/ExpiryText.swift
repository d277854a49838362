import Lifecycle
package import Tokens

/// Where an expiry came from.
package enum ExpiryText {
    package static func source(_ source: ExpirySource) -> String {
        switch source {
        case .lifetime: "expires_in"
        case .webTokenLifetime: "JWT exp − iat"
        case .webTokenExpiry: "JWT exp"
        case .timestamp: "timestamp"
        case .inferredZone: "timestamp, zone inferred"
        case .assumed: "assumed: documented default"
        }
    }

    /// For a place with little room.
    package static func short(_ source: ExpirySource) -> String {
        switch source {
        case .lifetime: "expires_in"
        case .webTokenLifetime: "exp − iat"
        case .webTokenExpiry: "exp"
        case .timestamp: "timestamp"
        case .inferredZone: "zone inferred"
        case .assumed: "assumed"
        }
    }

    /// `exp − iat 15 min, expires_in 30 min`, or `nil` if nothing disagrees.
    package static func mismatch(
        _ expiry: Expiry,
        duration: (Double) -> String = DurationFormatter.long
    ) -> String? {
        guard expiry.mismatch.count > 1 else { return nil }
        let readings = expiry.mismatch.map { "\(short($0.source)) \(duration($0.stated))" }
        return readings.joined(separator: ", ")
    }
}
