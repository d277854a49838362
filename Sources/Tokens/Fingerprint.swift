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
    /// With the salt taken in: half of the work of each fingerprint, done once.
    private let salted: HMAC<SHA256>

    /// - Parameter salt: 16 bytes or more, random, the same for the life of the installation.
    package init(salt: [UInt8]) {
        salted = HMAC<SHA256>(key: SymmetricKey(data: salt))
    }

    package func fingerprint(of secret: Secret) -> Fingerprint {
        var code = salted
        secret.withBytes { code.update(data: $0) }
        return Fingerprint(digits: code.finalize().prefix(4).hexadecimal)
    }

    package func fingerprint(of token: AccessToken) -> Fingerprint {
        fingerprint(of: token.secret)
    }

    package func fingerprint(of token: RefreshToken) -> Fingerprint {
        fingerprint(of: token.secret)
    }
}

/// SHA-256 in hex: says whether two texts are the same.
package func contentDigest(of text: String) -> String {
    SHA256.hash(data: Array(text.utf8)).hexadecimal
}
