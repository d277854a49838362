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
        let a = left.storage.text.utf8
        let b = right.storage.text.utf8
        guard a.count == b.count else { return false }
        return zip(a, b).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
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
