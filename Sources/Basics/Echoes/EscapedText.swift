/// An unescaped text, and the range of the original text that each of its bytes comes from.
struct EscapedText {
    /// The ways to escape a text.
    fileprivate enum Escape: CaseIterable {
        case percent
        /// Percent-encoding, with `+` for a space.
        case form
        case json
        case html
    }

    /// The deepest nesting of escapes that is read.
    private static let depthLimit = 3
    /// The largest number of readings of one text; only a hostile text has more.
    private static let readingLimit = 24

    let bytes: [UInt8]
    /// The offset in the original text at which each byte begins, and the offset of its end, or
    /// `nil` for the original text itself.
    private let starts: [Int32]?

    /// Returns the text, and its readings under every way and every sequence of ways to unescape
    /// it.
    ///
    /// - Parameters:
    ///   - text: The text, in UTF-8.
    ///   - plusIsBlank: Whether a `+` is read as a space.
    /// - Returns: The readings, with the text itself first.
    static func readings(of text: [UInt8], plusIsBlank: Bool) -> [EscapedText] {
        var readings = [EscapedText(bytes: text, starts: nil)]
        var level = 0..<1
        for _ in 0..<depthLimit {
            for index in level {
                for escape in readings[index].escapes(plusIsBlank: plusIsBlank) {
                    guard readings.count < readingLimit,
                        let next = readings[index].unescaped(by: escape),
                        !readings.contains(where: { $0.bytes == next.bytes })
                    else { continue }
                    readings.append(next)
                }
            }
            level = level.upperBound..<readings.count
        }
        return readings
    }

    /// Returns the range of the original text that a range of the bytes comes from.
    func source(of range: Range<Int>) -> Range<Int> {
        guard let starts else { return range }
        return Int(starts[range.lowerBound])..<Int(starts[range.upperBound])
    }

    /// Returns the kinds of escapes that may occur in the bytes.
    private func escapes(plusIsBlank: Bool) -> [Escape] {
        var (hasPercent, hasPlus, hasBackslash, hasAmpersand) = (false, false, false, false)
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "%"): hasPercent = true
            case UInt8(ascii: "+"): hasPlus = true
            case UInt8(ascii: "\\"): hasBackslash = true
            case UInt8(ascii: "&"): hasAmpersand = true
            default: break
            }
        }
        var escapes: [Escape] = []
        if hasPercent { escapes.append(.percent) }
        if hasPlus, plusIsBlank { escapes.append(.form) }
        if hasBackslash { escapes.append(.json) }
        if hasAmpersand { escapes.append(.html) }
        return escapes
    }

    /// Returns the text with this kind of escape resolved, or `nil` if it contains none.
    private func unescaped(by escape: Escape) -> EscapedText? {
        var origins: [Int32] = []
        origins.reserveCapacity(bytes.count + 1)
        var isChanged = false
        // No escape is shorter than the character it represents.
        let meant = [UInt8](unsafeUninitializedCapacity: bytes.count) { result, count in
            bytes.withUnsafeBufferPointer { source in
                var place = 0
                while place < source.count {
                    let origin = starts?[place] ?? Int32(truncatingIfNeeded: place)
                    let byte = source[place]
                    if escape.begins(byte),
                        let found = escape.read(.init(bytes: source, start: place))
                    {
                        for byte in found.meaning {
                            result.initializeElement(at: count, to: byte)
                            count += 1
                            origins.append(origin)
                        }
                        place += found.length
                        isChanged = true
                    } else {
                        result.initializeElement(at: count, to: byte)
                        count += 1
                        origins.append(origin)
                        place += 1
                    }
                }
            }
        }
        guard isChanged else { return nil }
        origins.append(starts?[bytes.count] ?? Int32(truncatingIfNeeded: bytes.count))
        return EscapedText(bytes: meant, starts: origins)
    }
}

extension EscapedText.Escape {
    /// The remainder of a text from a position on.
    fileprivate struct Rest {
        let bytes: UnsafeBufferPointer<UInt8>
        let start: Int

        /// Returns the byte at an offset, or zero, which is part of no escape, past the end.
        subscript(_ offset: Int) -> UInt8 {
            start + offset < bytes.count ? bytes[start + offset] : 0
        }

        func text(from first: Int, to end: Int) -> String {
            String(decoding: bytes[(start + first)..<(start + end)], as: UTF8.self)
        }

        /// Returns the value of `count` hexadecimal digits, or `nil` if there are fewer.
        func hexadecimal(at offset: Int, count: Int) -> UInt32? {
            var value: UInt32 = 0
            for index in 0..<count {
                let byte = self[offset + index]
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"):
                    value = value << 4 | UInt32(byte - UInt8(ascii: "0"))
                case UInt8(ascii: "a")...UInt8(ascii: "f"):
                    value = value << 4 | UInt32(byte - UInt8(ascii: "a") + 10)
                case UInt8(ascii: "A")...UInt8(ascii: "F"):
                    value = value << 4 | UInt32(byte - UInt8(ascii: "A") + 10)
                default: return nil
                }
            }
            return value
        }
    }

    fileprivate func begins(_ byte: UInt8) -> Bool {
        switch self {
        case .percent: byte == UInt8(ascii: "%")
        case .form: byte == UInt8(ascii: "%") || byte == UInt8(ascii: "+")
        case .json: byte == UInt8(ascii: "\\")
        case .html: byte == UInt8(ascii: "&")
        }
    }

    /// The character that an escape represents, in UTF-8, and the length of the escape.
    fileprivate struct Found {
        let meaning: Meaning
        let length: Int

        init(byte: UInt8, length: Int) {
            meaning = Meaning(packed: UInt32(byte), count: 1)
            self.length = length
        }

        init(_ scalar: Unicode.Scalar, length: Int) {
            var packed: UInt32 = 0
            var count: UInt32 = 0
            for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
                packed |= UInt32(byte) << (count * 8)
                count += 1
            }
            meaning = Meaning(packed: packed, count: count)
            self.length = length
        }
    }

    /// Up to four bytes, the first one in the lowest bits.
    fileprivate struct Meaning: Sequence, IteratorProtocol {
        var packed: UInt32
        var count: UInt32

        mutating func next() -> UInt8? {
            guard count > 0 else { return nil }
            defer {
                packed >>= 8
                count -= 1
            }
            return UInt8(truncatingIfNeeded: packed)
        }
    }

    /// Returns the escape at the beginning, or `nil` if there is none.
    fileprivate func read(_ rest: Rest) -> Found? {
        switch self {
        case .form where rest[0] == UInt8(ascii: "+"): Found(byte: 0x20, length: 1)
        case .percent, .form:
            rest.hexadecimal(at: 1, count: 2)
                .map { Found(byte: UInt8(truncatingIfNeeded: $0), length: 3) }
        case .json: Self.json(rest)
        case .html: Self.html(rest)
        }
    }

    /// Reads an escape of JSON (RFC 8259 section 7).
    private static func json(_ rest: Rest) -> Found? {
        switch rest[1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
            return Found(byte: rest[1], length: 2)
        case UInt8(ascii: "b"): return Found(byte: 0x08, length: 2)
        case UInt8(ascii: "f"): return Found(byte: 0x0C, length: 2)
        case UInt8(ascii: "n"): return Found(byte: 0x0A, length: 2)
        case UInt8(ascii: "r"): return Found(byte: 0x0D, length: 2)
        case UInt8(ascii: "t"): return Found(byte: 0x09, length: 2)
        case UInt8(ascii: "u"): break
        default: return nil
        }
        guard let unit = rest.hexadecimal(at: 2, count: 4) else { return nil }
        if let scalar = Unicode.Scalar(unit) { return Found(scalar, length: 6) }
        // Half of a surrogate pair alone is U+FFFD, as the parser reads it.
        guard (0xD800..<0xDC00).contains(unit), rest[6] == UInt8(ascii: "\\"),
            rest[7] == UInt8(ascii: "u"), let low = rest.hexadecimal(at: 8, count: 4),
            (0xDC00..<0xE000).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        else { return Found("\u{FFFD}", length: 6) }
        return Found(scalar, length: 12)
    }

    /// Reads a character reference of HTML (WHATWG HTML section 13.1.4).
    ///
    /// No known name, and no relevant number, is longer than the limit.
    private static func html(_ rest: Rest) -> Found? {
        guard let end = (2..<16).first(where: { rest[$0] == UInt8(ascii: ";") }) else { return nil }
        let name = rest.text(from: 1, to: end)
        guard rest[1] == UInt8(ascii: "#") else {
            return HTMLEntities.named[name].map { Found($0, length: end + 1) }
        }
        let isHexadecimal = rest[2] | 0x20 == UInt8(ascii: "x")
        let digits = name.dropFirst(isHexadecimal ? 2 : 1)
        return UInt32(digits, radix: isHexadecimal ? 16 : 10).flatMap(Unicode.Scalar.init)
            .map { Found($0, length: end + 1) }
    }
}
