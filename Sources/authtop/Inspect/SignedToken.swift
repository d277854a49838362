import Basics
import Profiles

/// A signed token in the compact form (RFC 7515 section 7.1), whatever its payload is.
struct SignedToken: Sendable, Equatable {
    /// The number of tokens within tokens that are decoded.
    static let nestingLimit = 3

    enum Payload: Sendable, Equatable {
        /// A JSON object: the token is a JWT.
        case claims(JSONWebToken)
        /// Another token, with its text (RFC 7519 section 5.2).
        case token(DecodedToken, Secret)
        case bytes([UInt8])
    }

    let header: [String: JSONValue]
    let payload: Payload
    /// The bytes that are signed.
    let signingInput: [UInt8]
    let signature: [UInt8]
    /// The reason why the payload is not what the token states, or `nil` if it is.
    let payloadFault: String?

    init(_ parts: [Substring], of secret: Secret, depth: Int) throws(TokenFault) {
        header = try TokenPart.header(parts[0])
        signingInput = Array("\(parts[0]).\(parts[1])".utf8)
        let isUnencoded = header["b64"] == false
        let bytes = isUnencoded ? Array(parts[1].utf8) : try TokenPart.bytes(parts[1], "payload")
        signature = try TokenPart.bytes(parts[2], "signature")
        let says = { (header: [String: JSONValue], name: String) in
            header[name]?.stringValue.map { $0.asciiLowercased == "jwt" } ?? false
        }
        let inner = String(validating: bytes, as: UTF8.self).map { Secret($0) }
        if !isUnencoded, let token = JSONWebToken(reading: secret) {
            payload = .claims(token)
            payloadFault = nil
        } else if depth > 1, let inner, says(header, "cty") || inner.reveal().begins(with: "eyJ"),
            case let nested = DecodedToken(of: inner, depth: depth - 1), nested != .opaque
        {
            payload = .token(nested, inner)
            payloadFault = nil
        } else {
            payload = .bytes(bytes)
            let isBroken = bytes.first == UInt8(ascii: "{") && !isUnencoded || says(header, "typ")
            payloadFault =
                isBroken ? "the claims part is not a JSON object: was it cut short?" : nil
        }
    }

    /// Decodes a text; `nil` if it is no signed token.
    init?(reading secret: Secret) {
        guard case .signed(let token) = DecodedToken(of: secret) else { return nil }
        self = token
    }

    /// The signature algorithm that the token states, such as `HS256`.
    var algorithm: String? { header["alg"]?.stringValue }

    /// The key that the token names.
    var keyName: String? { header["kid"]?.stringValue }

    var isPayloadEmpty: Bool { payload == .bytes([]) }

    /// The reason why `crit` makes the token invalid (RFC 7515 section 4.1.11), or `nil` if it does
    /// not.
    ///
    /// The only extension that is understood is `b64` (RFC 7797).
    var criticalFault: String? {
        let rule = "(RFC 7515 section 4.1.11)"
        guard let critical = header["crit"] else {
            let isUnlisted = header["b64"] == false
            return isUnlisted ? "b64 is false, but crit does not name it (RFC 7797 section 6)" : nil
        }
        guard case .array(let entries) = critical, !entries.isEmpty else {
            return "crit is not a list of names \(rule)"
        }
        var names: Set<String> = []
        for entry in entries {
            guard let name = entry.stringValue else { return "crit is not a list of names \(rule)" }
            let shown = name.inOneLine(limit: 40)
            guard names.insert(name).inserted else { return "crit names \(shown) twice \(rule)" }
            guard header[name] != nil else {
                return "crit names \(shown), which the header lacks \(rule)"
            }
            guard name == "b64" else {
                return "crit names \(shown), which is not understood here \(rule)"
            }
        }
        return header["b64"]?.boolValue == nil ? "b64 is not true or false" : nil
    }
}
