import Glibc

/// Text that must not be seen: it has no description, no mirror and no encoding.
///
/// Whoever needs the characters says `reveal()`, which is easy to search for. Its own bytes are
/// wiped when the last copy goes away. That does not reach what they were copied from or into, for
/// which Swift gives no hold on the memory: the string that it was made of, the string that
/// `reveal()` makes, the JSON that a record is written as, and the buffers of NIO, TLS and the
/// terminal. What stays there until it is written over is kept from others by forbidding core
/// dumps and debuggers.
package struct Secret: Sendable, Hashable {
    private let bytes: WipedBytes

    package init(_ text: String) {
        bytes = WipedBytes(text)
    }

    /// The characters themselves, for the wire and the vault only.
    package func reveal() -> String {
        bytes.withBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// The characters where they are, for what needs no copy.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withBytes { body(UnsafeRawBufferPointer($0)) }
    }

    /// The size in UTF-8 bytes.
    package var byteCount: Int {
        bytes.count
    }

    package var isEmpty: Bool {
        bytes.count == 0
    }

    /// Compares in time that depends on the lengths only.
    package static func == (left: Secret, right: Secret) -> Bool {
        // One and the same object needs no look.
        guard left.bytes !== right.bytes else { return true }
        return left.bytes.withBytes { a in
            right.bytes.withBytes { b in
                guard a.count == b.count else { return false }
                var difference: UInt8 = 0
                for index in a.indices { difference |= a[index] ^ b[index] }
                return difference == 0
            }
        }
    }

    package func hash(into hasher: inout Hasher) {
        withBytes { hasher.combine(bytes: $0) }
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "‹secret›" }
    package var debugDescription: String { "‹secret›" }
    package var customMirror: Mirror { Mirror(self, children: [(label: String?, value: Any)]()) }
}

/// Bytes that nobody else holds, overwritten before their memory is given back.
///
/// Unchecked: written once, before anybody else sees them, and wiped when nobody can any more.
final class WipedBytes: @unchecked Sendable {
    private let buffer: UnsafeMutableBufferPointer<UInt8>

    init(_ text: String) {
        var text = text
        buffer = text.withUTF8 { source in
            let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: source.count)
            _ = copy.initialize(from: source)
            return copy
        }
    }

    init(_ bytes: [UInt8]) {
        buffer = .allocate(capacity: bytes.count)
        _ = buffer.initialize(from: bytes)
    }

    deinit {
        wipe()
        buffer.deallocate()
    }

    var count: Int { buffer.count }

    /// The bytes, which are not wiped meanwhile, even where this is their last use.
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        withExtendedLifetime(self) { body(UnsafeBufferPointer(buffer)) }
    }

    /// Not `memset`, which the compiler may leave out where nobody reads what it wrote.
    func wipe() {
        if let base = buffer.baseAddress { explicit_bzero(base, buffer.count) }
    }
}
