import Basics

/// JSON as text (RFC 8259), for objects whose members must keep their order.
enum JSONText {
    /// Returns the text as it is written between the quotes of a string.
    static func escaped(_ text: String) -> String {
        String(JSONValue.string(text).serialized.dropFirst().dropLast())
    }

    /// Returns the text without the members whose value is one of the placeholders, quoted or not.
    static func removingMembers(with placeholders: [String], from text: String) -> String {
        var bytes = Array(text.utf8)
        for placeholder in placeholders {
            let needle = Array("{\(placeholder)}".utf8)
            var start = 0
            while let found = bytes[start...].firstRange(ofBytes: needle) {
                if let member = member(around: found, in: bytes) {
                    bytes.removeSubrange(member)
                    start = member.lowerBound
                } else {
                    start = found.upperBound
                }
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the range of the member with the value at this range, with one adjacent comma.
    private static func member(around value: Range<Int>, in bytes: [UInt8]) -> Range<Int>? {
        let quote = UInt8(ascii: "\"")
        var lower = value.lowerBound
        var upper = value.upperBound
        if lower > 0, upper < bytes.count, bytes[lower - 1] == quote, bytes[upper] == quote {
            lower -= 1
            upper += 1
        }
        func skipBack() {
            while lower > 0, isSpace(bytes[lower - 1]) { lower -= 1 }
        }
        func take(_ byte: UInt8) -> Bool {
            guard lower > 0, bytes[lower - 1] == byte else { return false }
            lower -= 1
            return true
        }
        skipBack()
        guard take(UInt8(ascii: ":")) else { return nil }
        skipBack()
        guard take(quote), let open = bytes[..<lower].lastIndex(of: quote) else { return nil }
        lower = open
        var next = upper
        while next < bytes.count, isSpace(bytes[next]) { next += 1 }
        if next < bytes.count, bytes[next] == UInt8(ascii: ",") {
            next += 1
            while next < bytes.count, isSpace(bytes[next]) { next += 1 }
            return lower..<next
        }
        let before = lower
        skipBack()
        return take(UInt8(ascii: ",")) ? lower..<upper : before..<upper
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        [0x20, 0x09, 0x0A, 0x0D].contains(byte)
    }
}
