import Basics
import FoundationEssentials
import JWTKit

/// The weaknesses of keys that can verify signatures nevertheless.
extension VerificationKey {
    /// Weaknesses of the key, each as the rest of a sentence about it.
    var remarks: [String] {
        guard case .rsa(let key) = material, let parts = try? key.getKeyPrimitives() else {
            return []
        }
        let exponent = parts.publicExponent.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return [
            exponent < 65_537
                ? "exponent \(exponent): FIPS 186-5 requires 65537 at least" : nil,
            Self.isFactorable(parts.modulus)
                ? "its modulus has the form of CVE-2017-15361 (ROCA): its private key can be computed"
                : nil,
        ]
        .compactMap(\.self)
    }

    /// Whether a shared secret is a public key, in PEM or DER format: a verifier that takes the key of
    /// RS256 for that of HS256 accepts what anyone has signed (RFC 8725 section 2.1).
    var isPublicSecret: Bool {
        guard case .secret(let bytes) = material else { return false }
        let mark = Array("-----BEGIN ".utf8)
        if bytes.starts(with: mark) {
            return !String(decoding: bytes.prefix(64), as: UTF8.self).containsBytes(
                of: "PRIVATE KEY"
            )
        }
        // A sequence, and in it, as its first element, another one: of a private key, it is a version.
        guard bytes.count > 40, bytes[0] == 0x30 else { return false }
        let length = bytes[1] < 0x80 ? 0 : Int(bytes[1] & 0x7F)
        guard length < 4, bytes[2 + length] == 0x30 else { return false }
        let head = bytes.prefix(40)
        return Self.identifiers.contains { identifier in
            head.indices.contains { head[$0...].starts(with: identifier) }
        }
    }

    /// `rsaEncryption`, `id-ecPublicKey` and `id-Ed25519` as they are in a `SubjectPublicKeyInfo`.
    private static let identifiers: [[UInt8]] = [
        [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01],
        [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01], [0x06, 0x03, 0x2B, 0x65, 0x70],
    ]

    /// The generator of the primes of the weak library.
    private static let generator = 65_537

    /// Whether a modulus is a power of `generator` modulo each of the first odd primes, as the moduli of
    /// the weak library are; of others, not one in 2⁸⁰ is.
    private static func isFactorable(_ modulus: Data) -> Bool {
        primes.allSatisfy { prime in
            let rest = modulus.reduce(0) { ($0 << 8 | Int($1)) % prime }
            var power = 1
            for _ in 1..<prime {
                if power == rest { return true }
                power = power * generator % prime
            }
            return false
        }
    }

    /// The odd primes up to 167, which the weak library uses for keys of all lengths.
    private static let primes = (3...167).filter { number in
        (2..<number).allSatisfy { number % $0 != 0 }
    }
}
