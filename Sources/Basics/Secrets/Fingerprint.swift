import Crypto
import FoundationEssentials

/// The name of a token everywhere, which reveals nothing about it: 8 hex digits for users, and 96
/// bits more that keep tokens apart whose digits happen to be the same, as those of two among 10
/// 000 do once in 86 runs.
package struct Fingerprint: Sendable, Hashable, CustomStringConvertible {
    /// The digits that are shown.
    package let digits: String
    /// The bits that follow those of the digits, or 0 if the digits alone are known.
    private let rest: UInt128

    package init(digits: String) {
        self.init(digits: digits, rest: 0)
    }

    fileprivate init(digits: String, rest: UInt128) {
        self.digits = digits
        self.rest = rest
    }

    package var description: String { "‹\(digits)›" }
}

extension Fingerprint: Codable {
    private enum CodingKeys: String, CodingKey {
        case digits
        /// Absent in older recordings.
        case rest
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let text = try values.decodeIfPresent(String.self, forKey: .rest) ?? "0"
        guard let rest = UInt128(text, radix: 16) else {
            throw DecodingError.dataCorruptedError(
                forKey: .rest,
                in: values,
                debugDescription: "expected hexadecimal digits"
            )
        }
        self.init(digits: try values.decode(String.self, forKey: .digits), rest: rest)
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(digits, forKey: .digits)
        if rest != 0 { try values.encode(String(rest, radix: 16), forKey: .rest) }
    }
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
        let bytes = code.finalize().prefix(16)
        let rest = bytes.dropFirst(4).reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        return Fingerprint(digits: bytes.prefix(4).hexadecimal, rest: rest)
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
