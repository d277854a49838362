import Basics
import Client
import FoundationEssentials
import JWTKit
import Model
import Profiles

extension Profile {
    /// Reads the private key with which the client signs; only the user may read it.
    ///
    /// - Throws: `CommandFailure` with the file and the key of the profile.
    func signingKey(in environment: LiveEnvironment) async throws -> SigningKey? {
        guard dialect.needsSigningKey, let file = dialect.assertion.keyPath else {
            return nil
        }
        let path = try environment.path(file)
        let text = try CredentialFile(path: path).contents()
        guard let key = await ClientKeyFile(text).key(named: dialect.assertion.keyID) else {
            let place = "\(files.first ?? name): client_assertion.key: \(path)"
            let expected =
                "expected a private key without a passphrase, in PEM format or as a JWK, "
                + "for ES256, RS256 or EdDSA"
            throw CommandFailure(.badInput, "\(place): \(expected)")
        }
        return key
    }
}

/// The text of a file with a private key.
private struct ClientKeyFile {
    /// The algorithms that a key of unknown purpose may be for.
    private static let algorithms = ["ES256", "RS256", "EdDSA"]

    let text: String

    init(_ text: String) {
        self.text = text
    }

    /// Returns the key with this name, or else with that of the file.
    func key(named name: String?) async -> SigningKey? {
        if let json = JSONValue(parsing: Array(text.utf8)), case .object(let members) = json {
            return await key(members, named: name ?? members["kid"]?.stringValue)
        }
        let keys = JWTKeyCollection()
        if let key = try? ES256PrivateKey(pem: text) {
            await keys.add(ecdsa: key)
        } else if let key = try? EdDSA.PrivateKey(pem: text) {
            await keys.add(eddsa: key)
        } else if let key = try? Insecure.RSA.PrivateKey(pem: text) {
            await keys.add(rsa: key, digestAlgorithm: .sha256)
        } else {
            return nil
        }
        return await Self.key(try? keys.getKey(), named: name)
    }

    private func key(_ members: [String: JSONValue], named name: String?) async -> SigningKey? {
        // A public key cannot sign.
        guard members["d"]?.stringValue != nil else { return nil }
        var members = members
        // The key collection requires one.
        if members["kid"] == nil { members["kid"] = "1" }
        if members["crv"]?.stringValue == "P-256" {
            for name in ["d", "x", "y"] { members[name] = members[name].map(Self.padded) }
        }
        let data = Data(JSONValue.object(members).serialized.utf8)
        guard let jwk = try? JSONDecoder().decode(JWK.self, from: data) else { return nil }
        for algorithm in jwk.algorithm.map({ [$0.rawValue] }) ?? Self.algorithms {
            let keys = JWTKeyCollection()
            guard (try? await keys.add(jwk: jwk)) != nil else { continue }
            let found = try? await keys.getKey(alg: algorithm)
            if let key = Self.key(found, named: name) { return key }
        }
        return nil
    }

    /// Returns a coordinate in all its octets (RFC 7518 section 6.2): some libraries leave out leading
    /// zeros.
    private static func padded(_ coordinate: JSONValue) -> JSONValue {
        guard let bytes = coordinate.stringValue.flatMap(Base64URL.decode), bytes.count < 32 else {
            return coordinate
        }
        let zeros = [UInt8](repeating: 0, count: 32 - bytes.count)
        return .string(Base64URL.encode(zeros + bytes))
    }

    private static func key(_ algorithm: (any JWTAlgorithm)?, named name: String?) -> SigningKey? {
        guard let algorithm, algorithms.contains(algorithm.name) else { return nil }
        return SigningKey(algorithm: algorithm.name, id: name) { try? algorithm.sign($0) }
    }
}
