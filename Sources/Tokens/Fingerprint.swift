import Crypto
import FoundationEssentials

/// How a token is named everywhere: 8 hex digits that say whether two tokens are the same and
/// nothing about what they are.
package struct Fingerprint: Sendable, Hashable, CustomStringConvertible {
    package let digits: String

    package init(digits: String) {
        self.digits = digits
    }

    package var description: String { "‹\(digits)›" }
}

/// Takes fingerprints with a salt of this installation, so that a fingerprint in a shared log
/// cannot be compared with a guess of the token.
package struct Fingerprinter: Sendable {
    private let key: SymmetricKey

    /// - Parameter salt: 16 bytes or more, random, the same for the life of the installation.
    package init(salt: [UInt8]) {
        key = SymmetricKey(data: salt)
    }

    package func fingerprint(of secret: Secret) -> Fingerprint {
        let code = HMAC<SHA256>.authenticationCode(for: Array(secret.reveal().utf8), using: key)
        let digits = Array("0123456789abcdef".unicodeScalars)
        let text = code.prefix(4).reduce(into: "") { text, byte in
            text.unicodeScalars.append(digits[Int(byte >> 4)])
            text.unicodeScalars.append(digits[Int(byte & 15)])
        }
        return Fingerprint(digits: text)
    }

    package func fingerprint(of token: AccessToken) -> Fingerprint {
        fingerprint(of: token.secret)
    }

    package func fingerprint(of token: RefreshToken) -> Fingerprint {
        fingerprint(of: token.secret)
    }
}
