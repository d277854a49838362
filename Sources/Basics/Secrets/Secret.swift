import Glibc

/// Text that must not be shown: it has no description, no mirror and no encoding.
///
/// Only `reveal()`, which is easy to search for, returns the characters. The value's own bytes are in
/// locked pages, and wiped when the last copy is released. What they were copied from or into is not
/// locked: the string that it was created from, the string that `reveal()` returns, the JSON of a
/// record, and the buffers of NIO, TLS and the terminal. All of it is overwritten when it is freed
/// (`CRuntime`), and until then protected by forbidding core dumps and debuggers.
package struct Secret: Sendable, Hashable {
    private let bytes: WipedBytes

    package init(_ text: String) {
        bytes = WipedBytes(text)
    }

    /// Returns the characters, for the wire and the vault only.
    package func reveal() -> String {
        bytes.withBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// Calls the closure with the characters in place, without copying them.
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

    /// Compares in time that depends only on the lengths.
    package static func == (left: Secret, right: Secret) -> Bool {
        // The same object needs no comparison.
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

/// Bytes that have a single owner, in locked memory, and are overwritten before that is freed.
///
/// Unchecked: they are written once, before they are shared, and wiped in `deinit`, when no
/// reference is left.
final class WipedBytes: @unchecked Sendable {
    private let buffer: UnsafeMutableBufferPointer<UInt8>

    init(_ text: String) {
        var text = text
        buffer = text.withUTF8 { source in
            let copy = Self.allocate(source.count)
            _ = copy.initialize(from: source)
            return copy
        }
    }

    init(_ bytes: [UInt8]) {
        buffer = Self.allocate(bytes.count)
        _ = buffer.initialize(from: bytes)
    }

    deinit {
        wipe()
        if let base = buffer.baseAddress { LockedMemory.deallocate(base, buffer.count) }
    }

    private static func allocate(_ count: Int) -> UnsafeMutableBufferPointer<UInt8> {
        UnsafeMutableBufferPointer(start: LockedMemory.allocate(count), count: count)
    }

    var count: Int { buffer.count }

    /// Calls the closure with the bytes, which are not wiped before it returns, even if this is
    /// their last use.
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        withExtendedLifetime(self) { body(UnsafeBufferPointer(buffer)) }
    }

    /// Overwrites the bytes; not with `memset`, which the compiler may remove because the result is
    /// not read.
    func wipe() {
        if let base = buffer.baseAddress { explicit_bzero(base, buffer.count) }
    }
}
