import Basics
import JWTKit
import Profiles

/// Checks whether one of a set of keys signed a token.
struct SignatureCheck: Sendable {
    enum Verdict: Sendable, Equatable {
        /// The signature is valid, by the key with this name if it has one.
        case valid(key: String?)
        /// The token must be rejected, for this reason.
        case invalid(String)
        /// No key in the set can verify the signature, for this reason.
        case unchecked(String)
        /// The same, and every key in the set could be used.
        case withoutItsKey(String)
    }

    private var keys: [VerificationKey] = []
    /// The keys of the set that cannot be used, and why.
    private(set) var skipped: [String] = []
    /// The names of those that could have verified a signature.
    private var unusable: [String?] = []

    /// Weaknesses of the keys, and names that several of them have.
    var remarks: [String] {
        let names = Dictionary(grouping: keys.compactMap(\.name)) { $0 }.mapValues(\.count)
        let shared = names.filter { $0.value > 1 }.sorted { $0.key < $1.key }.map { name, count in
            "\(count) keys have the kid \(name.inOneLine(limit: 40)): each of them is tried"
        }
        let weak = keys.flatMap { key in
            let label = key.name.map { "key \($0.inOneLine(limit: 40))" } ?? "a key"
            return key.remarks.map { "\(label): \($0)" }
        }
        return shared + weak
    }

    /// A set of one shared secret, which was typed: as text, or as what that encodes.
    init(secret: Secret) {
        let text = secret.reveal()
        keys = [VerificationKey(name: nil, material: .secret(Array(text.utf8)))]
        if let bytes = Base64URL.decode(text), !bytes.isEmpty {
            keys.append(
                VerificationKey(name: "decoded from base64url", material: .secret(bytes))
            )
        }
    }

    /// Parses the keys that a provider publishes; `nil` if it is no set of keys (RFC 7517).
    init?(keys json: JSONValue) {
        self.init(keys: json, acceptsSecrets: false)
    }

    /// Parses a set of keys: a JWKS, a single JWK, or certificates by the names of their keys.
    init?(keys json: JSONValue, acceptsSecrets: Bool) {
        guard case .object(let members) = json else { return nil }
        if case .array(let list)? = members["keys"] {
            for (index, key) in list.enumerated() {
                add(named: key["kid"]?.stringValue, number: index + 1) {
                    () throws(VerificationKey.Problem) in
                    try VerificationKey(jwk: key, acceptsSecrets: acceptsSecrets)
                }
            }
        } else if members["kty"] != nil {
            add(named: members["kid"]?.stringValue, number: 1) {
                () throws(VerificationKey.Problem) in
                try VerificationKey(jwk: json, acceptsSecrets: acceptsSecrets)
            }
        } else {
            let blocks = members.compactMapValues(\.stringValue)
            guard !blocks.isEmpty, blocks.count == members.count,
                blocks.values.allSatisfy({ $0.begins(with: "-----BEGIN ") })
            else { return nil }
            for (name, block) in blocks.sorted(by: { $0.key < $1.key }) {
                add(named: name, number: 1) { () throws(VerificationKey.Problem) in
                    try VerificationKey(pem: block, name: name)
                }
            }
        }
    }

    /// Parses public keys and certificates in PEM format; `nil` if there are none.
    init?(pem text: String) {
        var rest = Substring(text)
        var number = 0
        while let start = rest.range(ofBytes: "-----BEGIN ") {
            rest = rest[start.lowerBound...]
            guard let end = rest.range(ofBytes: "\n-----END "),
                let dashes = rest[end.upperBound...].range(ofBytes: "-----")
            else { break }
            number += 1
            let block = String(rest[..<dashes.upperBound])
            add(named: nil, number: number) { () throws(VerificationKey.Problem) in
                try VerificationKey(pem: block, name: nil)
            }
            rest = rest[dashes.upperBound...]
        }
        guard number > 0 else { return nil }
    }

    mutating func append(_ other: SignatureCheck) {
        keys += other.keys
        skipped += other.skipped
        unusable += other.unusable
    }

    private mutating func add(
        named name: String?,
        number: Int,
        _ key: () throws(VerificationKey.Problem) -> VerificationKey
    ) {
        do throws(VerificationKey.Problem) {
            keys.append(try key())
        } catch {
            let label = name.map { $0.inOneLine(limit: 40) } ?? "no. \(number)"
            skipped.append("key \(label): \(error.reason)")
            if error.mayVerify { unusable.append(name) }
        }
    }

    /// Tries the key that the token names, or each of them if the set has none with that name.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - secrets: What the texts of the verdict must not repeat.
    /// - Returns: What is known of its signature.
    func verdict(
        on token: SignedToken,
        hiding secrets: KnownSecrets = .none
    ) async -> Verdict {
        if let fault = token.criticalFault { return .invalid(fault) }
        guard let algorithm = token.algorithm, algorithm.asciiLowercased != "none" else {
            return .invalid("it is not signed")
        }
        let sameName = keys.filter { $0.name != nil && $0.name == token.keyName }
        var wasChecked = false
        for key in sameName.isEmpty ? keys : sameName {
            guard let verifier = await key.algorithm(named: algorithm) else { continue }
            guard (try? verifier.verify(token.signature, signs: token.signingInput)) == true else {
                wasChecked = true
                continue
            }
            if let objection = key.objection(to: algorithm) {
                let shown = key.name.map { secrets.hiding(in: $0).inOneLine(limit: 40) }
                let name = shown.map { "key \($0)" } ?? "a key"
                return .unchecked("\(name) signed it, but \(objection)")
            }
            return .valid(key: key.name)
        }
        guard !wasChecked else {
            return token.isPayloadEmpty
                ? .unchecked(
                    "its payload is empty: if it is detached, only who has it can check it"
                )
                : .invalid("none of the keys signed this")
        }
        return withoutKey(for: secrets.hiding(in: algorithm), of: token)
    }

    private func withoutKey(for algorithm: String, of token: SignedToken) -> Verdict {
        let shown = algorithm.inOneLine(limit: 20)
        guard !algorithm.begins(with: "HS") else {
            return .unchecked("\(shown) needs the shared secret, and no key of the set is one")
        }
        let reason = "no key in the set is for \(shown)"
        let mayBeUnusable = unusable.contains {
            $0 == nil || token.keyName == nil || $0 == token.keyName
        }
        return keys.isEmpty || mayBeUnusable ? .unchecked(reason) : .withoutItsKey(reason)
    }
}
