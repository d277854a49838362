import Crypto
import FoundationEssentials
import Glibc
package import Lifecycle
import Tokens

/// What records are encrypted with.
///
/// swift-crypto wipes the bytes of a `SymmetricKey` when the last copy goes away; what a key was
/// made from is wiped by whoever read it.
package struct VaultKey: Sendable {
    static let size = 32

    let symmetric: SymmetricKey

    /// A new one.
    init() {
        symmetric = SymmetricKey(size: .bits256)
    }

    /// `nil` unless there are as many bytes as a key has; they are wiped.
    init?(wiping bytes: inout [UInt8]) {
        defer { bytes.wipe() }
        guard bytes.count == Self.size else { return nil }
        symmetric = SymmetricKey(data: bytes)
    }

    /// Tells keys apart and says nothing else about them.
    var name: String {
        let code = HMAC<SHA256>.authenticationCode(
            for: Array("authtop vault key".utf8),
            using: symmetric
        )
        return code.prefix(4).hexadecimal
    }

    /// For where the key is kept.
    var bytes: [UInt8] {
        symmetric.withUnsafeBytes { Array($0) }
    }
}

/// Where a vault's key can be kept; a record says in which of them its own is.
package enum KeyPlace: String, Sendable, Hashable, CaseIterable {
    case file = "key-file"
    case secretService = "secret-service"
}

/// Keeps one key for all records of an installation.
package protocol VaultKeySource: Sendable {
    var place: KeyPlace { get }
    /// Where that is, for a person.
    var description: String { get }
    /// What it protects a record against, and what not.
    var protection: String { get }

    /// What a person has to be told before the first key is made.
    var notice: String? { get }

    /// `nil` when there is no key yet. Blocks the calling thread.
    func existing() throws(VaultProblem) -> VaultKey?

    /// Removes the key, where it is this installation's alone. Blocks likewise.
    func remove() throws(VaultProblem)

    /// Makes a key, unless another process made one meanwhile: then that one. Blocks likewise.
    func create() throws(VaultProblem) -> VaultKey
}

extension [UInt8] {
    /// Overwrites the bytes, as far as nobody else holds a copy of the array.
    mutating func wipe() {
        withUnsafeMutableBytes { buffer in
            if let base = buffer.baseAddress { explicit_bzero(base, buffer.count) }
        }
    }
}
