import Basics

/// The result of decoding a text as a token.
enum DecodedToken: Sendable, Equatable {
    case webToken(JSONWebToken)
    /// Five parts (RFC 7516), which only the holder of the key can decrypt.
    case encrypted
    /// It was meant to be a JWT, but has this error.
    case malformed(String)
    case opaque

    init(of secret: Secret) {
        let text = secret.reveal()
        let parts = text.parts(at: ".", keepsEmpty: true)
        // `{"` in base64url.
        guard text.begins(with: "eyJ") || Self.isObject(parts[0]) else {
            self = .opaque
            return
        }
        if parts.count == 5, Self.isObject(parts[0]) {
            self = .encrypted
        } else if let message = Self.fault(in: parts) {
            self = .malformed(message)
        } else if let token = JSONWebToken(reading: secret) {
            self = .webToken(token)
        } else {
            self = .malformed("it is over \(JSONWebToken.sizeLimit / 1024) KiB")
        }
    }

    private static func fault(in parts: [Substring]) -> String? {
        guard parts.count == 3 else {
            let count = parts.count == 1 ? "1 part" : "\(parts.count) parts"
            return "\(count) between dots, expected 3: header, claims and signature"
        }
        for (name, part) in [("header", parts[0]), ("claims", parts[1])] {
            guard let bytes = Base64URL.decode(part) else {
                return "the \(name) part is not base64url: was it cut short, or changed?"
            }
            guard case .object? = JSONValue(parsing: bytes) else {
                return "the \(name) part is not a JSON object: was it cut short?"
            }
        }
        guard Base64URL.decode(parts[2]) != nil else {
            return "the signature is not base64url: was it cut short?"
        }
        return nil
    }

    private static func isObject(_ part: Substring) -> Bool {
        guard let bytes = Base64URL.decode(part), case .object? = JSONValue(parsing: bytes)
        else { return false }
        return true
    }
}
