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
