import Crypto
import FoundationEssentials

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
