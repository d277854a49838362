package import Basics
package import Profiles

/// A code with which a device waits for its user (RFC 8628 section 3.2).
struct DeviceCode: Sendable {
    let client: String
    let userCode: String
    /// Seconds since 1970.
    let expiresAt: Double
    var interval: Double
    /// When the device asked last, in seconds since 1970.
    var askedAt: Double?
    var decision: Decision?

    enum Decision: Sendable {
        case allowed(BackendUser)
        case denied
    }
}

/// The answer to a device that asks for its tokens before there are any (section 3.5).
package enum DeviceRefusal: String, Sendable {
    case authorizationPending = "authorization_pending"
    case slowDown = "slow_down"
    case expired = "expired_token"
    case denied = "access_denied"
}

extension AuthBackend {
    /// The seconds within which the user must enter a code.
    package static let deviceCodeLifetime = 300.0
    /// The seconds between two requests of a device.
    package static let deviceInterval = 1.0

    /// Issues a code for a device and one for its user.
    package mutating func issueDeviceCode(
        to client: String,
        at now: Double
    ) -> (deviceCode: Secret, userCode: String) {
        let code = Secret(mint.uuid())
        let digits = mint.uuid().prefix(8).asciiUppercased
        let userCode = "\(digits.prefix(4))-\(digits.suffix(4))"
        deviceCodes[code] = DeviceCode(
            client: client,
            userCode: userCode,
            expiresAt: now + Self.deviceCodeLifetime,
            interval: Self.deviceInterval
        )
        return (code, userCode)
    }

    /// Allows or denies what the device with a user's code waits for.
    ///
    /// - Parameters:
    ///   - userCode: The code that the user has entered.
    ///   - user: The user, or `nil` to deny it.
    ///   - now: Seconds since 1970.
    /// - Returns: Whether there is such a device.
    package mutating func decide(
        deviceWith userCode: String,
        for user: BackendUser?,
        at now: Double
    ) -> Bool {
        let found = deviceCodes.first { $0.value.userCode == userCode && now < $0.value.expiresAt }
        guard let found, found.value.decision == nil else { return false }
        deviceCodes[found.key]?.decision = user.map { .allowed($0) } ?? .denied
        return true
    }

    /// Returns why a device gets no tokens yet, or `nil` if the code is to be redeemed.
    package mutating func refusal(ofDevice code: Secret, at now: Double) -> DeviceRefusal? {
        guard var device = deviceCodes[code] else { return nil }
        defer { deviceCodes[code] = device }
        guard now < device.expiresAt else { return .expired }
        let last = device.askedAt
        device.askedAt = now
        if let last, now - last < device.interval {
            device.interval += 5
            return .slowDown
        }
        switch device.decision {
        case nil: return .authorizationPending
        case .denied: return .denied
        case .allowed: return nil
        }
    }

    /// Exchanges a device's code for a session, once.
    mutating func redeemDevice(
        _ given: [String: Secret],
        in policy: BackendPolicy,
        at now: Double
    ) -> IssuedFacts? {
        guard let code = given["device_code"], let device = deviceCodes[code],
            given["client_id"] == Secret(device.client), now < device.expiresAt,
            case .allowed(let user) = device.decision
        else {
            count(in: policy) { $0.loginsRejected += 1 }
            return nil
        }
        deviceCodes[code] = nil
        return begin(
            for: user,
            bringsRefreshToken: policy.hasRefreshToken,
            in: policy,
            at: now
        )?.facts
    }
}
