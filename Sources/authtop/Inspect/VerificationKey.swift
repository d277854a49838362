import Basics
import FoundationEssentials
import JWTKit
import Profiles

/// A key that can verify signatures.
struct VerificationKey: Sendable {
    enum Material: Sendable {
        case rsa(Insecure.RSA.PublicKey)
        case p256(ES256PublicKey)
        case p384(ES384PublicKey)
        case p521(ES512PublicKey)
        case ed25519(EdDSA.PublicKey)
        /// A shared secret.
        case secret([UInt8])
    }

    /// The reason why a key cannot be used.
    struct Problem: Error {
        let reason: String
        /// Whether it could have verified a signature elsewhere.
        var mayVerify = true
    }

    let name: String?
    /// The only algorithm that the key is for, if it states one.
    var statedAlgorithm: String?
    let material: Material

    /// Returns the algorithm of that name with this key, or `nil` if it is of another type.
    func algorithm(named name: String) async -> (any JWTAlgorithm)? {
        let digests: [Substring: DigestAlgorithm] = [
            "256": .sha256, "384": .sha384, "512": .sha512,
        ]
        let keys = JWTKeyCollection()
        switch (material, name) {
        case (.p256(let key), "ES256"): await keys.add(ecdsa: key)
        case (.p384(let key), "ES384"): await keys.add(ecdsa: key)
        case (.p521(let key), "ES512"): await keys.add(ecdsa: key)
        // RFC 8037, and RFC 9864, which names the curve.
        case (.ed25519(let key), "EdDSA"), (.ed25519(let key), "Ed25519"):
            await keys.add(eddsa: key)
        default:
            guard name.utf8.count == 5, let digest = digests[name.suffix(3)] else { return nil }
            switch (material, name.prefix(2)) {
            case (.rsa(let key), "RS"): await keys.add(rsa: key, digestAlgorithm: digest)
            case (.rsa(let key), "PS"): await keys.add(pss: key, digestAlgorithm: digest)
            case (.secret(let bytes), "HS"):
                // Zeros at the end of a short key change nothing (RFC 2104 section 2), and the
                // library requires the length of the hash.
                let zeros = [UInt8](
                    repeating: 0,
                    count: max(0, Self.hashLength(of: name) - bytes.count)
                )
                await keys.add(hmac: HMACKey(from: bytes + zeros), digestAlgorithm: digest)
            default: return nil
            }
        }
        return try? await keys.getKey()
    }

    /// Returns why the key must not be used for an algorithm for which it has the right type, or
    /// `nil` if it may.
    func objection(to algorithm: String) -> String? {
        if case .secret(let bytes) = material, bytes.count < Self.hashLength(of: algorithm) {
            let length = Self.hashLength(of: algorithm)
            return "has \(bytes.count) bytes: RFC 7518 section 3.2 requires \(length)"
        }
        if isPublicSecret { return "it is a public key, which anyone can sign with" }
        let edwards: Set = ["EdDSA", "Ed25519"]
        guard let statedAlgorithm, statedAlgorithm != algorithm,
            !edwards.isSuperset(of: [statedAlgorithm, algorithm])
        else { return nil }
        return "is for \(statedAlgorithm.inOneLine(limit: 20)) only, by its alg"
    }

    /// The bytes of the hash of an algorithm with three digits at the end.
    private static func hashLength(of algorithm: String) -> Int {
        (Int(algorithm.suffix(3)) ?? 0) / 8
    }
}

// MARK: - JSON Web Keys

extension VerificationKey {
    /// - Throws: Why the key (RFC 7517) cannot be used.
    init(jwk json: JSONValue, acceptsSecrets: Bool) throws(Problem) {
        guard case .object(let members) = json else { throw Problem(reason: "no object") }
        func text(_ name: String) -> String? { members[name]?.stringValue }
        name = text("kid")
        if let algorithm = text("alg") {
            guard !Self.isEncryption(algorithm) else {
                let shown = algorithm.inOneLine(limit: 20)
                throw Problem(reason: "for encryption (\(shown))", mayVerify: false)
            }
            statedAlgorithm = algorithm
        }
        guard text("use") != "enc" else {
            throw Problem(reason: "for encryption", mayVerify: false)
        }
        if case .array(let operations)? = members["key_ops"],
            !operations.contains("verify"), !operations.contains("sign")
        {
            throw Problem(reason: "its key_ops do not have verify", mayVerify: false)
        }
        switch text("kty") {
        case "RSA": material = try Self.rsa(n: text("n"), e: text("e"))
        case "EC": material = try Self.elliptic(text("crv"), x: text("x"), y: text("y"))
        case "OKP":
            guard text("crv") == "Ed25519" else { throw Self.unsupported(curve: text("crv")) }
            guard let x = text("x"), Base64URL.decode(x)?.count == 32,
                let key = try? EdDSA.PublicKey(x: x, curve: .ed25519)
            else { throw Problem(reason: "x is no key of Ed25519") }
            material = .ed25519(key)
        case "oct":
            guard acceptsSecrets else {
                throw Problem(reason: "a published secret proves nothing")
            }
            guard let bytes = text("k").flatMap(Base64URL.decode), !bytes.isEmpty else {
                throw Problem(reason: "k is no base64url, or empty")
            }
            material = .secret(bytes)
        case let kind:
            let shown = kind?.inOneLine(limit: 20) ?? "no kty"
            throw Problem(reason: "unsupported type (\(shown))")
        }
    }

    /// The algorithms of RFC 7518 section 4.1 and its extensions.
    private static func isEncryption(_ algorithm: String) -> Bool {
        ["RSA-OAEP", "RSA1_5", "ECDH-ES", "PBES2", "A128", "A192", "A256", "dir"].contains {
            algorithm.begins(with: $0)
        }
    }

    private static func unsupported(curve: String?) -> Problem {
        Problem(reason: "unsupported curve (\(curve?.inOneLine(limit: 20) ?? "no crv"))")
    }

    private static func rsa(n: String?, e: String?) throws(Problem) -> Material {
        guard let n, let e, let modulus = Base64URL.decode(n) else {
            throw Problem(reason: "n or e is missing, or no base64url")
        }
        let digits = modulus.drop { $0 == 0 }
        let bits = digits.count * 8 - (digits.first?.leadingZeroBitCount ?? 0)
        guard bits >= 2_048 else {
            throw Problem(reason: "an RSA key of \(bits) bits: RFC 7518 requires 2048")
        }
        guard let key = try? Insecure.RSA.PublicKey(modulus: n, exponent: e) else {
            throw Problem(reason: "n and e are no RSA key")
        }
        return .rsa(key)
    }

    /// Adds the zero bytes that a coordinate must begin with, and that some providers leave out.
    private static func elliptic(
        _ curve: String?,
        x: String?,
        y: String?
    ) throws(Problem) -> Material {
        let sizes = ["P-256": 32, "P-384": 48, "P-521": 66]
        guard let curve, let size = sizes[curve] else { throw unsupported(curve: curve) }
        let coordinates = [x, y].compactMap { text -> String? in
            guard let bytes = text.flatMap(Base64URL.decode), bytes.count <= size else {
                return nil
            }
            return Base64URL.encode([UInt8](repeating: 0, count: size - bytes.count) + bytes)
        }
        let key: Material? =
            if coordinates.count < 2 {
                nil
            } else {
                switch (curve, (x: coordinates[0], y: coordinates[1])) {
                case ("P-256", let point):
                    (try? ES256PublicKey(parameters: point)).map(Material.p256)
                case ("P-384", let point):
                    (try? ES384PublicKey(parameters: point)).map(Material.p384)
                case (_, let point):
                    (try? ES512PublicKey(parameters: point)).map(Material.p521)
                }
            }
        guard let key else { throw Problem(reason: "x and y are no point of \(curve)") }
        return key
    }
}

// MARK: - PEM

extension VerificationKey {
    /// - Parameters:
    ///   - pem: One block in PEM format (RFC 7468).
    ///   - name: The name that something else gives to it.
    /// - Throws: Why the block is no key that can be used.
    init(pem: String, name: String?) throws(Problem) {
        self.name = name
        let afterBegin = pem.part(after: "-----BEGIN ") ?? ""
        let label = afterBegin[
            ..<(afterBegin.range(ofBytes: "-----")?.lowerBound ?? afterBegin.endIndex)
        ]
        let found: Material?
        if label.ends(with: "PRIVATE KEY") {
            throw Problem(reason: "a private key: expected its public one (openssl pkey -pubout)")
        } else if label == "CERTIFICATE" {
            found =
                (try? ES256PublicKey(certificate: pem)).map(Material.p256)
                ?? (try? ES384PublicKey(certificate: pem)).map(Material.p384)
                ?? (try? ES512PublicKey(certificate: pem)).map(Material.p521)
                ?? (try? Insecure.RSA.PublicKey(certificatePEM: pem)).map(Material.rsa)
        } else {
            found =
                (try? ES256PublicKey(pem: pem)).map(Material.p256)
                ?? (try? ES384PublicKey(pem: pem)).map(Material.p384)
                ?? (try? ES512PublicKey(pem: pem)).map(Material.p521)
                ?? (try? EdDSA.PublicKey(pem: pem)).map(Material.ed25519)
                ?? (try? Insecure.RSA.PublicKey(pem: pem)).map(Material.rsa)
        }
        guard let found else {
            throw Problem(
                reason: "no key (\(label.inOneLine(limit: 30))) of RSA from 2048 bits, P-256, "
                    + "P-384, P-521 or Ed25519"
            )
        }
        material = found
    }
}
