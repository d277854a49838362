import Basics
import Profiles

/// The secrets of the latest exchanges, which any later one may repeat.
struct SentSecrets: Sendable {
    /// As many are kept; half of them go when there are more.
    private static let limit = 512
    /// As many are recognized as a whole, without being kept.
    private static let seenLimit = 1 << 16
    /// Larger ones are not kept, in bytes.
    private static let sizeLimit = 8192

    private(set) var known: KnownSecrets
    private let names: SecretNames
    private var order: [SecretDigest] = []
    /// All that were added.
    private var seen: Set<SecretDigest> = []
    private var seenOrder: [SecretDigest] = []

    /// The size from which a word is looked for in texts, in bytes.
    private static let longest = 16

    /// - Parameters:
    ///   - fingerprinter: Names the tokens.
    ///   - names: Names of other secrets.
    ///   - findsParts: Whether a part of one is hidden wherever it stands.
    init(fingerprinter: Fingerprinter, names: SecretNames, findsParts: Bool) {
        self.names = names
        known = KnownSecrets(fingerprinter: fingerprinter, findsParts: findsParts)
    }

    /// Returns whether the secret was added, not long ago.
    func hasSeen(_ secret: Secret) -> Bool { seen.contains(SecretDigest(secret)) }

    /// Returns the beginning of a text that a client says of itself, without known secrets and what
    /// follows the name of one.
    func hiding(in text: String, limit: Int) -> String {
        let start = String(decoding: text.utf8.prefix(limit * 8), as: UTF8.self)
        return UnknownSecrets.hidingNamed(in: known.hiding(in: start), by: names)
            .inOneLine(limit: limit)
    }

    /// Adds what is a secret by its place.
    mutating func add(_ secrets: [Secret]) {
        for secret in secrets where secret.byteCount <= Self.sizeLimit {
            see(secret)
            guard !known.contains(secret) else { continue }
            known.add(secret)
            order.append(SecretDigest(secret))
        }
        shorten()
    }

    /// Adds what is a secret by its name, which may as well be a word: such a one is recognized as a
    /// whole, and not looked for in texts.
    mutating func addNamed(_ secrets: [Secret]) {
        add(secrets.filter { $0.byteCount >= Self.longest || $0.looksLikeToken })
        for secret in secrets where secret.byteCount >= KnownSecrets.shortest { see(secret) }
        shorten()
    }

    private mutating func see(_ secret: Secret) {
        let digest = SecretDigest(secret)
        if seen.insert(digest).inserted { seenOrder.append(digest) }
    }

    private mutating func shorten() {
        if seenOrder.count > Self.seenLimit {
            seen.subtract(seenOrder.prefix(Self.seenLimit / 2))
            seenOrder.removeFirst(Self.seenLimit / 2)
        }
        guard order.count > Self.limit else { return }
        let gone = order.prefix(Self.limit / 2)
        known.remove(gone)
        order.removeFirst(gone.count)
    }
}

extension String {
    /// Whether it is a secret, has a long one, or is a long part of one, in any case.
    func contains(_ secrets: [Secret]) -> Bool {
        let text = asciiLowercased
        return secrets.contains { secret in
            let secret = secret.reveal().asciiLowercased
            return text == secret || secret.utf8.count >= 8 && text.containsBytes(of: secret)
                || text.utf8.count >= 12 && secret.containsBytes(of: text)
        }
    }
}

extension Secret {
    /// Whether it has digits and letters, or small and capital letters.
    fileprivate var looksLikeToken: Bool {
        UnknownSecrets.looksLikeToken(Array(reveal().utf8)[...], from: 6)
    }
}
