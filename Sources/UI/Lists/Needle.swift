/// A text to search for, ignoring the case of ASCII letters.
struct Needle: Sendable, Equatable {
    let text: String
    private let bytes: [UInt8]

    init(_ text: String) {
        self.text = text
        bytes = text.utf8.map(Self.lower)
    }

    func isIn(_ haystack: String?) -> Bool {
        guard let haystack else { return false }
        let found = haystack.utf8.withContiguousStorageIfAvailable { isIn($0) }
        return found ?? Array(haystack.utf8).withUnsafeBufferPointer { isIn($0) }
    }

    /// Whether a text begins with it.
    func begins(_ text: String) -> Bool {
        text.utf8.count >= bytes.count && zip(text.utf8, bytes).allSatisfy { Self.lower($0) == $1 }
    }

    /// For a number: the whole of it.
    func isNumber(_ number: some BinaryInteger) -> Bool {
        text == String(number) || text == "#\(number)"
    }

    /// For a status: `401`, or with places left open `4xx`, `40`.
    func isStatus(_ status: Int) -> Bool {
        let digits = Array(String(status).utf8)
        guard bytes.count <= digits.count else { return false }
        return zip(bytes, digits).allSatisfy { $0 == $1 || $0 == UInt8(ascii: "x") }
    }

    private func isIn(_ haystack: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = bytes.first else { return true }
        guard haystack.count >= bytes.count else { return false }
        for start in 0...(haystack.count - bytes.count) where Self.lower(haystack[start]) == first {
            if bytes.indices.allSatisfy({ Self.lower(haystack[start + $0]) == bytes[$0] }) {
                return true
            }
        }
        return false
    }

    private static func lower(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 32 : byte
    }
}
