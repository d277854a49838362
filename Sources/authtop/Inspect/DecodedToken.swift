import Basics

/// The result of decoding a text as a token.
enum DecodedToken: Sendable, Equatable {
    /// Three parts (RFC 7515), of which a JWT is the most frequent kind.
    indirect case signed(SignedToken)
    /// Five parts (RFC 7516), which only the holder of the key can decrypt.
    case encrypted(EncryptedToken)
    /// It was meant to be a JWT, but has this error.
    case malformed(String)
    case opaque

    /// - Parameters:
    ///   - secret: The text.
    ///   - depth: The number of tokens in tokens that are decoded.
    init(of secret: Secret, depth: Int = SignedToken.nestingLimit) {
        let text = secret.reveal()
        let parts = text.parts(at: ".", keepsEmpty: true)
        // `{"` in base64url.
        guard text.begins(with: "eyJ") || JSONWebToken.object(in: parts[0]) != nil else {
            self = .opaque
            return
        }
        guard secret.byteCount <= JSONWebToken.sizeLimit else {
            self = .malformed("it is over \(JSONWebToken.sizeLimit / 1024) KiB")
            return
        }
        do throws(TokenFault) {
            switch parts.count {
            case 5: self = .encrypted(try EncryptedToken(parts))
            case 3: self = .signed(try SignedToken(parts, of: secret, depth: depth))
            case let count:
                let found = count == 1 ? "1 part" : "\(count) parts"
                throw TokenFault(
                    "\(found) between dots, expected 3: header, claims and signature"
                )
            }
        } catch {
            self = .malformed(error.message)
        }
    }
}

/// The reason why a text is no token.
struct TokenFault: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}

/// One of the parts of a token between the dots.
enum TokenPart {
    static func bytes(_ part: Substring, _ name: String) throws(TokenFault) -> [UInt8] {
        // An encoder leaves no bits behind the last byte.
        guard let bytes = Base64URL.decode(part), Base64URL.encode(bytes) == part else {
            throw TokenFault("the \(name) is not base64url: was it cut short, or changed?")
        }
        return bytes
    }

    static func header(_ part: Substring) throws(TokenFault) -> [String: JSONValue] {
        guard case .object(let members)? = JSONValue(parsing: try bytes(part, "header part"))
        else { throw TokenFault("the header part is not a JSON object: was it cut short?") }
        return members
    }
}

/// An encrypted token in the compact form (RFC 7516 section 7.1), of which only the header is
/// readable.
struct EncryptedToken: Sendable, Equatable {
    let header: [String: JSONValue]
    /// The sizes of the parts after the header, in bytes.
    let encryptedKey: Int
    let initializationVector: Int
    let ciphertext: Int
    let authenticationTag: Int

    init(_ parts: [Substring]) throws(TokenFault) {
        header = try TokenPart.header(parts[0])
        encryptedKey = try TokenPart.bytes(parts[1], "encrypted key").count
        initializationVector = try TokenPart.bytes(parts[2], "initialization vector").count
        ciphertext = try TokenPart.bytes(parts[3], "ciphertext").count
        authenticationTag = try TokenPart.bytes(parts[4], "authentication tag").count
        guard header["enc"]?.stringValue != nil, header["alg"]?.stringValue != nil else {
            throw TokenFault("5 parts, as of an encrypted token, but the header lacks alg or enc")
        }
    }
}
