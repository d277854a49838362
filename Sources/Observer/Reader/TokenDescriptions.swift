import Basics
import Model
import Profiles

/// The descriptions of the last tokens.
struct TokenDescriptions: Sendable {
    private static let limit = 256

    private let fingerprinter: Fingerprinter
    private let recognition: Recognition
    private var known: [SecretDigest: TokenDescription] = [:]
    private var order: [SecretDigest] = []

    init(fingerprinter: Fingerprinter, recognition: Recognition) {
        self.recognition = recognition
        self.fingerprinter = fingerprinter
    }

    /// - Parameters:
    ///   - secret: The token.
    ///   - secrets: The secrets that the app has sent, which the claims of a token may repeat.
    /// - Returns: Its description.
    mutating func description(of secret: Secret, hiding secrets: KnownSecrets) -> TokenDescription {
        let digest = SecretDigest(secret)
        if let description = known[digest] { return description }
        var description = TokenDescription(
            of: secret,
            fingerprint: fingerprinter.fingerprint(of: secret)
        )
        description.claims = description.claims.filter { claim in
            recognition.shownClaims.contains(claim.key)
                || !recognition.credentials.isSecret(claim.key)
        }
        for (name, value) in description.claims {
            switch value {
            // A number could contain a short password by chance, and is an instant most often.
            case .integer, .number, .bool, .null: break
            default: description.claims[name] = secrets.hiding(in: value)
            }
        }
        if order.count >= Self.limit {
            for old in order.prefix(Self.limit / 2) { known[old] = nil }
            order.removeFirst(Self.limit / 2)
        }
        known[digest] = description
        order.append(digest)
        return description
    }
}
