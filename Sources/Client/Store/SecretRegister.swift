import Basics
import Model
import Profiles

/// The secrets that were sent or received recently, which a server may repeat.
///
/// Each is remembered for an hour after its last use. The number and size of tokens are limited,
/// and those used least recently go first. Credentials are few and are always kept for the hour.
struct SecretRegister: Sendable {
    static let lifetime = Duration.seconds(3600)
    static let usualTokenLimit = 512
    /// The limit on all tokens together, in bytes.
    static let byteLimit = 512 * 1024

    private struct Entry: Sendable {
        var lastUse: Instant
        let isToken: Bool
        let byteCount: Int
    }

    /// By digests, so that nothing is kept here that has been spent.
    private var entries: [SecretDigest: Entry] = [:]
    private var tokenBytes = 0
    /// The earliest instant at which a secret may be forgotten, or `nil` if there are none.
    private var nextEnd: Instant?
    private var secrets: KnownSecrets
    private let tokenLimit: Int

    /// - Parameters:
    ///   - fingerprinter: Names the tokens.
    ///   - tokenLimit: The largest number of tokens.
    init(fingerprinter: Fingerprinter, tokenLimit: Int = usualTokenLimit) {
        self.tokenLimit = tokenLimit
        secrets = KnownSecrets(fingerprinter: fingerprinter)
    }

    /// Returns the secrets that a server may repeat now.
    mutating func known(at now: Instant) -> KnownSecrets {
        if let nextEnd, now >= nextEnd { forget(at: now) }
        return secrets
    }

    mutating func register(_ token: Secret, at now: Instant) {
        register(token, named: nil, at: now)
        limitTokens()
    }

    /// Remembers the secret ones among the credentials, by name; a short word of a name that is none
    /// of a secret would withhold every message that has it.
    mutating func register(credentials: [String: Secret], at now: Instant) {
        for (name, value) in credentials where CredentialSpec(name: name).isSecret {
            guard
                value.byteCount >= KnownSecrets.shortest
                    || Recognition.builtIn.credentials.isSecret(name)
            else { continue }
            register(value, named: name, at: now)
        }
    }

    /// Remembers the tokens and the captured values of an answer.
    mutating func register(_ issued: [Secret], at now: Instant) {
        for token in issued { register(token, at: now) }
    }

    mutating func register(_ record: VaultRecord?, at now: Instant) {
        for token in record?.secrets ?? [] { register(token, at: now) }
    }

    private mutating func register(_ secret: Secret, named name: String?, at now: Instant) {
        if nextEnd == nil { nextEnd = now + Self.lifetime }
        let digest = SecretDigest(secret)
        guard entries[digest] == nil else {
            entries[digest]?.lastUse = now
            return
        }
        entries[digest] = Entry(
            lastUse: now,
            isToken: name == nil,
            byteCount: secret.byteCount
        )
        if name == nil { tokenBytes += secret.byteCount }
        secrets.add(secret, named: name)
    }

    private mutating func forget(at now: Instant) {
        remove(entries.filter { now - $0.value.lastUse >= Self.lifetime }.map(\.key))
        nextEnd = entries.values.map { $0.lastUse + Self.lifetime }.min()
    }

    private mutating func limitTokens() {
        var tokens = entries.count { $0.value.isToken }
        guard tokens > tokenLimit || tokenBytes > Self.byteLimit else { return }
        var left: [SecretDigest] = []
        var bytes = tokenBytes
        for (token, entry) in entries.filter(\.value.isToken)
            .sorted(by: { $0.value.lastUse < $1.value.lastUse })
        {
            // Makes room for several, so that not every new token costs a search for the oldest.
            guard tokens > tokenLimit * 3 / 4 || bytes > Self.byteLimit * 3 / 4 else { break }
            tokens -= 1
            bytes -= entry.byteCount
            left.append(token)
        }
        remove(left)
    }

    private mutating func remove(_ gone: [SecretDigest]) {
        for secret in gone {
            guard let entry = entries.removeValue(forKey: secret) else { continue }
            if entry.isToken { tokenBytes -= entry.byteCount }
        }
        secrets.remove(gone)
    }
}
