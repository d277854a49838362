import Crypto
import Tokens

/// Writes JSON web tokens and signs them with HMAC-SHA256 (RFC 7519, RFC 7518 section 3.2).
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
        let payload = """
            {"exp":\(Int64(claims.expiresAt.rounded(.down))),\
            "iat":\(Int64(claims.issuedAt.rounded(.down))),"iss":"authtop sandbox","jti":"\(id)",\
            "sid":"\(claims.session)","sub":"\(claims.user)","type":"\(claims.purpose.rawValue)"}
            """
        let signed = "\(Self.header).\(Base64URL.encode(Array(payload.utf8)))"
        let code = HMAC<SHA256>.authenticationCode(for: Array(signed.utf8), using: key)
        return Secret("\(signed).\(Base64URL.encode(Array(code)))")
    }
}
