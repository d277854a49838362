import Crypto
import FoundationEssentials

/// The name of a token everywhere: 8 hex digits that show whether two tokens are equal and reveal
/// nothing about them.
package struct Fingerprint: Sendable, Hashable, Codable, CustomStringConvertible {
    package let digits: String

    package init(digits: String) {
        self.digits = digits
    }

    package var description: String { "‹\(digits)›" }
}

/// Computes fingerprints with a salt of this installation, so that a fingerprint in a shared log
/// cannot be compared with a guessed token.
package struct Fingerprinter: Sendable {
    /// The state after the salt was hashed, which saves half of the work for each fingerprint.
    private let salted: HMAC<SHA256>

    /// - Parameter salt: 16 random bytes or more, which stay the same for the life of the
    ///   installation.
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

/// Returns the SHA-256 digest in hexadecimal, to compare texts.
package func contentDigest(of text: String) -> String {
    SHA256.hash(data: Array(text.utf8)).hexadecimal
}
