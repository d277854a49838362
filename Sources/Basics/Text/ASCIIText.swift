/// Comparisons, searches and parts of texts of protocols by their bytes.
///
/// Those of the standard library go by characters, where text with a syntax has none: to them `"` before
/// a combining mark is another character than `"`, CR LF is one character, and U+037E is equal to a
/// semicolon. They also take a hundred times as long, which is too much for every header of every
/// request of an app. The same holds for generic calls, which the compiler specializes for another module
/// only if they are public and inlinable.
extension StringProtocol {
    /// Whether two texts are equal but for the case of ASCII letters, as names of fields are
    /// (RFC 9110 section 5.1).
    @inlinable public func isEqualIgnoringCase(_ other: some StringProtocol) -> Bool {
        let (left, right) = (utf8, other.utf8)
        guard left.count == right.count else { return false }
        return zip(left, right).allSatisfy { $0 == $1 || $0.asciiLowercased == $1.asciiLowercased }
    }

    /// The text with small ASCII letters in place of capital ones; any other stays.
    @inlinable public var asciiLowercased: String {
        // Without an array on the way: names are asked for it all the time.
        String(unsafeUninitializedCapacity: utf8.count) { bytes in
            var count = 0
            for byte in utf8 {
                bytes[count] = byte.asciiLowercased
                count += 1
            }
            return count
        }
    }

    /// The text with capital ASCII letters in place of small ones; any other stays.
    @inlinable public var asciiUppercased: String {
        // Without an array on the way: names are asked for it all the time.
        String(unsafeUninitializedCapacity: utf8.count) { bytes in
            var count = 0
            for byte in utf8 {
                bytes[count] = byte.asciiUppercased
                count += 1
            }
            return count
        }
    }

    /// Whether the text begins with the bytes of another.
    @inlinable public func begins(with prefix: some StringProtocol) -> Bool {
        utf8.starts(with: prefix.utf8)
    }

    /// Whether the text ends with the bytes of another.
    @inlinable public func ends(with suffix: some StringProtocol) -> Bool {
        let (text, suffix) = (utf8, suffix.utf8)
        let rest = text.count - suffix.count
        return rest >= 0 && text.dropFirst(rest).elementsEqual(suffix)
    }

    /// Whether the text has an ASCII character, or another scalar, anywhere.
    @inlinable public func has(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.isASCII else { return unicodeScalars.contains(scalar) }
        return hasByte { $0 == UInt8(ascii: scalar) }
    }

    /// Whether the text has a byte of a kind anywhere.
    @inlinable public func hasByte(_ isOfKind: (UInt8) -> Bool) -> Bool {
        utf8.withContiguousStorageIfAvailable { $0.contains(where: isOfKind) }
            ?? utf8.contains(where: isOfKind)
    }
}

extension StringProtocol {
    /// Returns the parts between the occurrences of an ASCII character.
    ///
    /// - Parameters:
    ///   - separator: The character; it stays in none of the parts.
    ///   - limit: The number of parts, of which the last one has the rest.
    ///   - keepsEmpty: Whether empty parts are returned.
    /// - Returns: The parts in their order.
    @inlinable public func parts(
        at separator: Unicode.Scalar,
        limit: Int = .max,
        keepsEmpty: Bool = false
    ) -> [Substring] {
        var parts: [Substring] = []
        var rest = Substring(self)
        while parts.count < limit - 1,
            let mark = rest.utf8.firstIndex(ofByte: UInt8(ascii: separator))
        {
            if keepsEmpty || mark > rest.startIndex { parts.append(rest[..<mark]) }
            rest = rest[rest.utf8.index(after: mark)...]
        }
        if keepsEmpty || !rest.isEmpty { parts.append(rest) }
        return parts
    }

    /// The lines, without empty ones; each ends with LF, CR LF or CR.
    @inlinable public var lines: [Substring] {
        Substring(self).utf8.split { $0 == 0x0A || $0 == 0x0D }.map(Substring.init)
    }

    /// The parts before and after the first occurrence of an ASCII character, or `nil` without one.
    @inlinable public func halves(
        at separator: Unicode.Scalar
    ) -> (before: Substring, after: Substring)? {
        let text = Substring(self)
        guard let mark = text.utf8.firstIndex(ofByte: UInt8(ascii: separator)) else { return nil }
        return (text[..<mark], text[text.utf8.index(after: mark)...])
    }

    /// The part before the first occurrence of an ASCII character, the whole text without one.
    @inlinable public func part(before separator: Unicode.Scalar) -> Substring {
        let text = Substring(self)
        return text[..<(text.utf8.firstIndex(ofByte: UInt8(ascii: separator)) ?? text.endIndex)]
    }

    /// The text without the bytes of another at its start, or `nil` if it does not begin with them.
    @inlinable public func part(after prefix: some StringProtocol) -> Substring? {
        guard begins(with: prefix) else { return nil }
        return Substring(Substring(self).utf8.dropFirst(prefix.utf8.count))
    }

    /// The text without the bytes of another at its end, or `nil` if it does not end with them.
    @inlinable public func part(upTo suffix: some StringProtocol) -> Substring? {
        guard ends(with: suffix) else { return nil }
        return Substring(Substring(self).utf8.dropLast(suffix.utf8.count))
    }

    /// Returns where the bytes of another text first occur in this one.
    @inlinable public func range(ofBytes part: some StringProtocol) -> Range<Substring.Index>? {
        Substring(self).utf8.firstRange(ofBytes: part.utf8)
    }

    /// Returns the text with another one in place of the bytes of a part, wherever they occur.
    @inlinable public func replacing(
        bytes part: some StringProtocol,
        with other: some StringProtocol
    ) -> String {
        var rest = Substring(self).utf8
        guard !part.isEmpty, var found = rest.firstRange(ofBytes: part.utf8) else {
            return String(self)
        }
        var replaced: [UInt8] = []
        while true {
            replaced += rest[..<found.lowerBound]
            replaced += other.utf8
            rest = rest[found.upperBound...]
            guard let next = rest.firstRange(ofBytes: part.utf8) else { break }
            found = next
        }
        return String(decoding: replaced + rest, as: UTF8.self)
    }

    /// The text without the spaces and tabs around it.
    @inlinable public var trimmingBlanks: Substring { trimming { $0 == 0x20 || $0 == 0x09 } }

    /// The text without the bytes of a kind around it.
    @inlinable public func trimming(_ isTrimmed: (UInt8) -> Bool) -> Substring {
        let text = Substring(self)
        guard let start = text.utf8.firstIndex(where: { !isTrimmed($0) }),
            let last = text.utf8.lastIndex(where: { !isTrimmed($0) })
        else { return text.prefix(0) }
        return text[start..<text.utf8.index(after: last)]
    }
}

extension String {
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
        return (found ?? nil) ?? (utf8.firstRange(ofBytes: part.utf8) != nil)
    }
}

extension Collection where Element == UInt8 {
    /// Returns the first place of a byte, which is looked for without indices where that is possible.
    @inlinable public func firstIndex(ofByte byte: UInt8) -> Index? {
        let offset = withContiguousStorageIfAvailable { $0.firstIndex(of: byte) }
        guard let offset else { return firstIndex(of: byte) }
        return offset.map { index(startIndex, offsetBy: $0) }
    }

    /// Returns where other bytes first occur in these ones; none are at the start.
    ///
    /// The standard library's search prepares itself for long texts, which takes a hundred times as long
    /// as looking through a short one.
    @inlinable public func firstRange(ofBytes part: some Collection<UInt8>) -> Range<Index>? {
        guard let first = part.first else { return startIndex..<startIndex }
        var start = startIndex
        while let found = self[start...].firstIndex(of: first) {
            if self[found...].starts(with: part) {
                return found..<index(found, offsetBy: part.count)
            }
            start = index(after: found)
        }
        return nil
    }
}

extension UInt8 {
    /// The small letter of an ASCII letter; any other byte is as it was.
    @inlinable public var asciiLowercased: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }

    /// The capital letter of an ASCII letter; any other byte is as it was.
    @inlinable public var asciiUppercased: UInt8 {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) ? self & ~0x20 : self
    }

    /// Whether it is an ASCII letter or digit.
    @inlinable public var isAlphanumeric: Bool { isDigit || isLetter }

    /// Whether it may be part of a token, such as the name of a field (RFC 9110 section 5.6.2).
    @inlinable public var isTokenByte: Bool {
        switch self {
        case UInt8(ascii: "!"), UInt8(ascii: "#")...UInt8(ascii: "'"), UInt8(ascii: "*"),
            UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^")...UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: isAlphanumeric
        }
    }

    /// Whether it is an ASCII letter.
    @inlinable public var isLetter: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(asciiLowercased)
    }

    /// Whether it is an ASCII digit.
    @inlinable public var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
