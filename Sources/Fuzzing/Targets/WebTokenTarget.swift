@testable import Basics

/// A token in a response, or the claims of one.
enum WebTokenTarget: FuzzTarget {
    static let name = "jwt"

    static func read(_ bytes: [UInt8]) {
        require(Base64URL.decode(Base64URL.encode(bytes)) == bytes, "base64url goes both ways")
        let text = String(decoding: bytes, as: UTF8.self)
        check(JSONWebToken(reading: Secret(text)))
        let parts = [Array(#"{"alg":"none"}"#.utf8), bytes, bytes].map { Base64URL.encode($0) }
        let token = JSONWebToken(reading: Secret(parts.joined(separator: ".")))
        if case .object(let members)? = JSONValue(parsing: bytes) {
            require(token?.claims == members, "the claims are those of the token")
        } else {
            require(token == nil, "claims are an object")
        }
        check(token)
    }

    private static func check(_ token: JSONWebToken?) {
        guard let token else { return }
        for seconds in [token.expiresAt, token.issuedAt, token.notBefore].compactMap(\.self) {
            require((0...253_402_300_799).contains(seconds), "\(seconds) is a time")
        }
        _ = token.algorithm
        _ = token.subject
    }
}
