/// Comparisons of texts of protocols by their bytes.
///
/// Those of the standard library compare characters, which takes a hundred times as long: too much for
/// every header of every request of an app.
extension String {
    /// Whether two texts are equal but for the case of ASCII letters, as names of fields are
    /// (RFC 9110 section 5.1).
    package func isEqualIgnoringCase(_ other: String) -> Bool {
        let (left, right) = (utf8, other.utf8)
        guard left.count == right.count else { return false }
        return zip(left, right).allSatisfy { $0 == $1 || $0.asciiLowercased == $1.asciiLowercased }
    }

    /// Whether the bytes of a text occur in it; every text has the empty one.
    package func containsBytes(of part: String) -> Bool {
        let found = utf8.withContiguousStorageIfAvailable { bytes in
            part.utf8.withContiguousStorageIfAvailable { part in
                guard let first = part.first else { return true }
                guard part.count <= bytes.count else { return false }
                return (0...(bytes.count - part.count)).contains { start in
                    bytes[start] == first
                        && (1..<part.count).allSatisfy { bytes[start + $0] == part[$0] }
                }
            }
        }
        return (found ?? nil) ?? contains(part)
    }
}

extension UInt8 {
    /// The small letter of an ASCII letter; any other byte is as it was.
    package var asciiLowercased: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }
}
