/// Finds parts of secrets, as where a token is cut into several texts.
///
/// Of each secret, the digests of all runs of one size are kept.
struct SecretParts: Sendable {
    /// The size of the shortest part that is found, in bytes: a shorter one may be a word.
    static let shortest = 12
    /// Of a secret, no more than this is looked for in parts, in bytes.
    private static let limit = 2048

    private var runs: Set<SecretDigest> = []

    /// Returns the digests of the runs of a secret.
    static func runs(of secret: String) -> [SecretDigest] {
        // Wiped when this returns.
        let bytes = WipedBytes(Array(secret.utf8.prefix(limit)))
        return bytes.withBytes { bytes in
            guard bytes.count >= shortest else { return [] }
            return (0...(bytes.count - shortest)).map { digest(at: $0, in: bytes) }
        }
    }

    mutating func add(_ runs: [SecretDigest]) {
        self.runs.formUnion(runs)
    }

    /// Adds the parts of secrets in a text, but for those of secrets that were found as a whole.
    func search(in text: UnsafeBufferPointer<UInt8>, _ found: inout Occurrences) {
        guard !runs.isEmpty, text.count >= Self.shortest else { return }
        var part: Range<Int>?
        func close() {
            if let part, !found.cover(part) { found.add(part, mark: KnownSecrets.hidden) }
        }
        for place in 0...(text.count - Self.shortest)
        where runs.contains(Self.digest(at: place, in: text)) {
            let run = place..<(place + Self.shortest)
            if let begun = part, run.lowerBound <= begun.upperBound {
                part = begun.lowerBound..<run.upperBound
            } else {
                close()
                part = run
            }
        }
        close()
    }

    private static func digest(
        at place: Int,
        in text: UnsafeBufferPointer<UInt8>
    ) -> SecretDigest {
        let run = UnsafeBufferPointer(rebasing: text[place..<(place + shortest)])
        return SecretDigest(UnsafeRawBufferPointer(run))
    }
}
