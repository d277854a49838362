import Tokens

/// The secrets of the latest requests, which the answer to any later one may repeat.
struct SentSecrets: Sendable {
    /// As many are kept; half of them go when there are more.
    private static let limit = 256
    /// Larger ones are not kept, in bytes.
    private static let sizeLimit = 8192

    private(set) var known: KnownSecrets
    private var order: [Secret] = []

    init(fingerprinter: Fingerprinter) {
        known = KnownSecrets(fingerprinter: fingerprinter)
    }

    mutating func add(_ secrets: [Secret]) {
        for secret in secrets where !known.contains(secret) && secret.byteCount <= Self.sizeLimit {
            known.add(secret)
            order.append(secret)
        }
        guard order.count > Self.limit else { return }
        let gone = order.prefix(Self.limit / 2)
        known.remove(gone)
        order.removeFirst(gone.count)
    }
}
