import Basics
import Crypto
import Profiles

/// Creates tokens of every format from one seed.
struct TokenMint: Sendable {
    /// The purpose of a token, as its claims state it.
    enum Purpose: String, Sendable {
        case access
        case refresh
    }

    /// The claims of a token, for formats that have claims.
    struct Claims: Sendable {
        var purpose: Purpose
        var user: Int
        var session: String
        /// The audience and the scope, if it states them.
        var audience: String?
        var scope: String?
        /// Seconds since 1970.
        var issuedAt: Double
        /// Seconds since 1970.
        var expiresAt: Double
    }

    private var random: SeededGenerator
    private let signer: WebTokenSigner

    init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        signer = WebTokenSigner(key: (0..<4).map { _ in random.next() })
        self.random = random
    }

    /// Creates a token.
    ///
    /// - Returns: The token and its actual expiry: a JWT's times are truncated to whole seconds, as
    ///   real servers write them, so that it expires up to a second early.
    mutating func token(
        _ format: TokenFormat,
        _ claims: Claims
    ) -> (secret: Secret, expiresAt: Double) {
        switch format {
        case .uuid:
            return (Secret(uuid()), claims.expiresAt)
        case .opaque:
            return (Secret(identifier()), claims.expiresAt)
        case .jwt:
            return (signer.token(claims, id: identifier()), claims.expiresAt.rounded(.down))
        }
    }

    /// Returns a random UUID (RFC 9562 section 5.4).
    mutating func uuid() -> String {
        let high = random.next() & ~0xF000 | 0x4000
        let low = random.next() & ~(0xC << 60) | 0x8 << 60
        let digits = high.hexadecimal + low.hexadecimal
        var rest = Substring(digits)
        let groups = [8, 4, 4, 4, 12].map { length in
            defer { rest = rest.dropFirst(length) }
            return rest.prefix(length)
        }
        return groups.joined(separator: "-")
    }

    /// Returns 32 random digits.
    private mutating func identifier() -> String {
        random.next().hexadecimal + random.next().hexadecimal
    }
}

/// Creates JSON Web Tokens and signs them with HMAC-SHA256 (RFC 7519, RFC 7518 section 3.2).
struct WebTokenSigner: Sendable {
    private static let header = Base64URL.encode(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8))

    private let key: SymmetricKey

    init(key: [UInt64]) {
        let bytes = key.flatMap { word in
            stride(from: UInt64(56), through: 0, by: -8).map {
                UInt8(truncatingIfNeeded: word >> $0)
            }
        }
        self.key = SymmetricKey(data: bytes)
    }

    func token(_ claims: TokenMint.Claims, id: String) -> Secret {
        // They come from a client.
        let stated = [("aud", claims.audience), ("scope", claims.scope)]
            .map { name, text in
                text.map { "\"\(name)\":\(JSONValue.string($0).serialized)," } ?? ""
            }
            .joined()
        let payload = """
            {\(stated)"exp":\(Int64(claims.expiresAt.rounded(.down))),\
            "iat":\(Int64(claims.issuedAt.rounded(.down))),"iss":"authtop sandbox","jti":"\(id)",\
            "sid":"\(claims.session)","sub":"\(claims.user)","type":"\(claims.purpose.rawValue)"}
            """
        let signed = "\(Self.header).\(Base64URL.encode(Array(payload.utf8)))"
        let code = HMAC<SHA256>.authenticationCode(for: Array(signed.utf8), using: key)
        return Secret("\(signed).\(Base64URL.encode(Array(code)))")
    }
}
