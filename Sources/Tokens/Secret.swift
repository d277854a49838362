/// Text that must not be seen: it has no description, no mirror and no encoding.
///
/// Whoever needs the characters says `reveal()`, which is easy to search for.
package struct Secret: Sendable, Hashable {
    private final class Storage: Sendable {
        let text: String
        init(_ text: String) { self.text = text }
    }

    private let storage: Storage

    package init(_ text: String) {
        storage = Storage(text)
    }

    /// The characters themselves, for the wire and the vault only.
    package func reveal() -> String {
        storage.text
    }

    /// The size in UTF-8 bytes.
    package var byteCount: Int {
        storage.text.utf8.count
    }

    package var isEmpty: Bool {
        storage.text.isEmpty
    }

    /// Compares in time that depends on the lengths only.
    package static func == (left: Secret, right: Secret) -> Bool {
        // One and the same object needs no look.
        guard left.storage !== right.storage else { return true }
        return left.withBytes { a in
            right.withBytes { b in
                guard a.count == b.count else { return false }
                var difference: UInt8 = 0
                for index in a.indices { difference |= a[index] ^ b[index] }
                return difference == 0
            }
        }
    }

    private func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        var text = storage.text
        return text.withUTF8(body)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(storage.text)
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "‹secret›" }
    package var debugDescription: String { "‹secret›" }
    package var customMirror: Mirror { Mirror(self, children: [(label: String?, value: Any)]()) }
}
