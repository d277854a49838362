import Basics
import Client
import Crypto
import FoundationEssentials
import Glibc
package import Model

/// The key that records are encrypted with.
///
/// swift-crypto wipes the bytes of a `SymmetricKey` when the last copy is released; the code that
/// reads a key wipes the bytes it was created from.
package struct VaultKey: Sendable {
    static let size = 32

    let symmetric: SymmetricKey

    /// Creates a random key.
    init() {
        symmetric = SymmetricKey(size: .bits256)
    }

    /// Creates a key and wipes the bytes; `nil` if their number is not that of a key.
    init?(wiping bytes: inout [UInt8]) {
        defer { bytes.wipe() }
        guard bytes.count == Self.size else { return nil }
        symmetric = SymmetricKey(data: bytes)
    }

    /// A name that distinguishes keys and reveals nothing else about them.
    var name: String {
        let code = HMAC<SHA256>.authenticationCode(
            for: Array("authtop vault key".utf8),
            using: symmetric
        )
        return code.prefix(4).hexadecimal
    }

    /// The bytes of the key, for its source.
    var bytes: [UInt8] {
        symmetric.withUnsafeBytes { Array($0) }
    }
}

/// A place where a vault's key can be kept; a record names the place of its own key.
package enum KeyPlace: String, Sendable, Hashable, CaseIterable {
    case file = "key-file"
    case secretService = "secret-service"
}

/// A source of one key for all records of an installation.
package protocol VaultKeySource: Sendable {
    var place: KeyPlace { get }
    /// The location of the key, for the user.
    var description: String { get }
    /// The threats that the key protects a record against, and those that it does not.
    var protection: String { get }

    /// The notice that the user must see before the first key is created, or `nil` if there is
    /// none.
    var notice: String? { get }

    /// Returns the key, or `nil` if there is none yet. Blocks the calling thread.
    func existing() throws(VaultProblem) -> VaultKey?

    /// Removes the key if only this installation uses it. Blocks the calling thread.
    func remove() throws(VaultProblem)

    /// Creates a key, or returns the one that another process has created in the meantime. Blocks
    /// the calling thread.
    func create() throws(VaultProblem) -> VaultKey
}

extension [UInt8] {
    /// Overwrites the bytes, unless another copy of the array shares them.
    mutating func wipe() {
        withUnsafeMutableBytes { buffer in
            if let base = buffer.baseAddress { explicit_bzero(base, buffer.count) }
        }
    }
}
