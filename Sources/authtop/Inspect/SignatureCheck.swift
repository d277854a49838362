import Basics
import FoundationEssentials
import JWTKit

/// Checks whether one of a set of public keys (RFC 7517) signed a token.
struct SignatureCheck: Sendable {
    enum Verdict: Sendable, Equatable {
        /// The signature is valid, by the key with this name if it has one.
        case valid(key: String?)
        case invalid
        /// No key in the set can verify the signature, for this reason.
        case unchecked(String)
        /// The same, and every key in the set could be used.
        case withoutItsKey(String)
    }

    /// The keys of the set that cannot be used, and why.
    private(set) var skipped: [String] = []
    /// The names of those whose type is not supported.
    private var unsupported: [String?] = []
    private var keys: [(name: String?, key: JWK)] = []

    /// Parses a set of keys, or a single key; `nil` if it is neither.
    init?(keys json: JSONValue) {
        let entries: [JSONValue]
        if case .array(let list)? = json.value(at: "keys") {
            entries = list
        } else if json.value(at: "kty") != nil {
            entries = [json]
        } else {
            return nil
        }
        for (index, entry) in entries.enumerated() { add(entry, number: index + 1) }
    }

    private mutating func add(_ entry: JSONValue, number: Int) {
        let name = entry.value(at: "kid")?.stringValue
        let label = "key \(name.map { $0.prefix(40) } ?? "no. \(number)")"
        guard case .object(var members) = entry else {
            return skipped.append("\(label): no object")
        }
        guard entry.value(at: "use")?.stringValue != "enc" else {
            return skipped.append("\(label): for encryption")
        }
        // The key collection requires a `kid`, but a key set need not have one.
        if name == nil { members["kid"] = .string("\(number)") }
        if let curve = Curve(of: entry) {
            guard curve.completesPoint(in: &members) else {
                skipped.append("\(label): x and y are no point of \(curve.rawValue)")
                unsupported.append(name)
                return
            }
        }
        do {
            let data = Data(JSONValue.object(members).serialized.utf8)
            keys.append((name, try JSONDecoder().decode(JWK.self, from: data)))
        } catch {
            let kind = entry.value(at: "kty")?.stringValue?.prefix(20) ?? "no kty"
            skipped.append("\(label): unsupported type (\(kind))")
            unsupported.append(name)
        }
    }

    /// Tries the key that the token names, or each of them if the set has none with that name.
    func verdict(on secret: Secret, _ token: JSONWebToken) async -> Verdict {
        let algorithm = token.algorithm ?? "none"
        guard algorithm.asciiLowercased != "none" else { return .invalid }
        guard !algorithm.begins(with: "HS") else {
            return .unchecked("\(algorithm) needs the shared secret, which is not in a key set")
        }
        let named = token.header["kid"]?.stringValue
        let sameName = keys.filter { $0.name != nil && $0.name == named }
        let candidates = (sameName.isEmpty ? keys : sameName).filter { entry in
            entry.key.algorithm.map { $0.rawValue == algorithm } ?? true
        }
        var wasChecked = false
        for candidate in candidates {
            do {
                let collection = JWTKeyCollection()
                try await collection.add(jwk: candidate.key)
                _ = try await collection.verify(secret.reveal(), as: AnyClaims.self)
                return .valid(key: candidate.name)
            } catch let error as JWTError where error.errorType == .signatureVerificationFailed {
                wasChecked = true
            } catch {
                // The key's type does not match the algorithm.
                continue
            }
        }
        guard !wasChecked else { return .invalid }
        let reason = "no key in the set is for \(algorithm.prefix(20))"
        let mayBeUnsupported = unsupported.contains { $0 == nil || named == nil || $0 == named }
        return keys.isEmpty || mayBeUnsupported ? .unchecked(reason) : .withoutItsKey(reason)
    }
}

/// A curve of RFC 7518, section 6.2.1.1.
private enum Curve: String {
    case p256 = "P-256"
    case p384 = "P-384"
    case p521 = "P-521"

    init?(of key: JSONValue) {
        guard key.value(at: "kty")?.stringValue == "EC" else { return nil }
        self.init(rawValue: key.value(at: "crv")?.stringValue ?? "")
    }

    /// Of one coordinate, in bytes.
    private var size: Int {
        switch self {
        case .p256: 32
        case .p384: 48
        case .p521: 66
        }
    }

    /// Adds the zero bytes that a coordinate must begin with, and that some providers leave out.
    ///
    /// - Returns: Whether the coordinates are a point of the curve.
    func completesPoint(in members: inout [String: JSONValue]) -> Bool {
        for name in ["x", "y"] {
            guard let text = members[name]?.stringValue,
                let bytes = Base64URL.decode(text), bytes.count <= size
            else { return false }
            let zeros = [UInt8](repeating: 0, count: size - bytes.count)
            members[name] = .string(Base64URL.encode(zeros + bytes))
        }
        guard let x = members["x"]?.stringValue, let y = members["y"]?.stringValue else {
            return false
        }
        return switch self {
        case .p256: (try? ES256PublicKey(parameters: (x, y))) != nil
        case .p384: (try? ES384PublicKey(parameters: (x, y))) != nil
        case .p521: (try? ES512PublicKey(parameters: (x, y))) != nil
        }
    }
}

/// Accepts any claims, which are checked elsewhere.
private struct AnyClaims: JWTPayload {
    func verify(using algorithm: some JWTAlgorithm) async throws {}
}
