/// The digest that recognizes a secret without having it: a keyed hash of 64 bits, whose key is
/// this process's.
package struct SecretDigest: Sendable, Hashable {
    private let value: Int

    package init(_ secret: Secret) {
        self = secret.withBytes { SecretDigest($0) }
    }

    init(_ bytes: UnsafeRawBufferPointer) {
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        value = hasher.finalize()
    }
}
