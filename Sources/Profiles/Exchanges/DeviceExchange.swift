package import Basics

/// The request for a code that the user enters on any device (RFC 8628 section 3.1).
struct DeviceExchange: Sendable, Hashable {
    var request: RequestShape

    /// The placeholders that it adds to the fields of the login.
    static let placeholders = ["device_code"]
    /// The grant of the login that follows it.
    static let grantType = "urn:ietf:params:oauth:grant-type:device_code"
}

/// The code that the user enters, and the address, for a login on any device (RFC 8628 section
/// 3.2).
package struct DeviceAuthorization: Sendable, Hashable {
    let deviceCode: Secret
    /// Bounded and on one line.
    package let userCode: String
    package let verificationURI: String
    /// The address that contains the code, or `nil` if there is none.
    package let completeURI: String?
    /// The time for which the code is valid, in seconds.
    package let lifetime: Double
    /// The shortest time between two requests for the tokens, in seconds.
    package let interval: Double

    init(
        deviceCode: Secret,
        userCode: String,
        verificationURI: String,
        completeURI: String? = nil,
        lifetime: Double,
        interval: Double
    ) {
        self.deviceCode = deviceCode
        self.userCode = userCode
        self.verificationURI = verificationURI
        self.completeURI = completeURI
        self.lifetime = lifetime
        self.interval = interval
    }

    /// The grant that the login sends in place of the user's credentials.
    package var grant: AuthorizationGrant { AuthorizationGrant(deviceCode: deviceCode) }
}

/// The meaning of a response to a request for a code.
package enum DeviceResponse: Sendable, Hashable {
    case issued(DeviceAuthorization)
    /// With the backend's message if it had one.
    case rejected(status: Int, message: String?)
    case failed(ResponseFailure)
}

extension Dialect {
    /// Whether the user logs in on any device, with a code.
    package var usesDeviceCode: Bool { login.device != nil }

    /// Returns the request for a code, or `nil` if a login needs none.
    ///
    /// - Throws: `MissingCredential` if one of the client's credentials is missing.
    package func deviceRequest(
        _ credentials: [String: Secret]
    ) throws(MissingCredential) -> WireRequest? {
        guard let device = login.device else { return nil }
        let values = withClientID(credentials)
        for name in device.request.credentialNames.sorted() where values[name]?.isEmpty ?? true {
            throw MissingCredential(name: name)
        }
        return device.request.filled(values: values).acceptingJSON
    }

    /// Parses a response to it, and returns what decided its meaning, too.
    package func decideDevice(
        _ response: WireResponse,
        hiding secrets: KnownSecrets = .none
    ) -> Decision<DeviceResponse> {
        let body = ResponseBody(response, by: recognition)
        guard ResponseClass(status: response.status) == .success else {
            let message = message(in: body, response, hiding: secrets)
            guard let device = login.device, ResponseClass.isNeverTerminal(response.status) else {
                return Decision(.rejected(status: response.status, message: message), by: .status)
            }
            let failure = ResponseFailure(response, body, to: device.request, message: message)
            return Decision(.failed(failure), by: .neverTerminal)
        }
        do throws(TokenParser.Unreadable) {
            return Decision(
                .issued(try Self.authorization(in: body, hiding: secrets)),
                by: .success
            )
        } catch {
            let failure = ResponseFailure.undecodable(
                status: response.status,
                message: error.message
            )
            return Decision(.failed(failure), by: .unreadable)
        }
    }

    private static func authorization(
        in body: ResponseBody,
        hiding secrets: KnownSecrets
    ) throws(TokenParser.Unreadable) -> DeviceAuthorization {
        func text(_ key: String) -> String? {
            guard let text = body.json?.value(at: key)?.stringValue, !text.isEmpty else {
                return nil
            }
            return text
        }
        guard let deviceCode = text("device_code"),
            deviceCode.utf8.count <= TokenParser.longestToken
        else { throw TokenParser.Unreadable(message: "no device_code in the answer") }
        let known = secrets.adding([Secret(deviceCode)])
        guard let userCode = text("user_code").map({ ServerMessage.bounded($0, hiding: known) })
        else { throw TokenParser.Unreadable(message: "no user_code in the answer") }
        guard let address = text("verification_uri"), isAddress(address) else {
            throw TokenParser.Unreadable(message: "no verification_uri in the answer")
        }
        func seconds(_ key: String, _ usual: Double, _ range: ClosedRange<Double>) -> Double {
            let stated = body.json?.value(at: key)?.numberValue ?? usual
            return min(max(stated, range.lowerBound), range.upperBound)
        }
        return DeviceAuthorization(
            deviceCode: Secret(deviceCode),
            userCode: userCode,
            verificationURI: address,
            completeURI: text("verification_uri_complete").flatMap { isAddress($0) ? $0 : nil },
            lifetime: seconds("expires_in", 300, 1...3600),
            interval: seconds("interval", 5, 1...300)
        )
    }

    /// Returns whether a user can be sent to the address, which is shown as it is.
    private static func isAddress(_ text: String) -> Bool {
        (text.begins(with: "https://") || text.begins(with: "http://")) && text.utf8.count <= 500
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
