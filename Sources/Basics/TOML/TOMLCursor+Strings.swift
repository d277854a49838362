/// Parsing of quoted strings in all four forms of TOML.
extension TOMLCursor {
    mutating func quoted() throws(TOMLError) -> String {
        if take("\"\"\"") { return try long("\"\"\"", hasEscapes: true) }
        if take("'''") { return try long("'''", hasEscapes: false) }
        let hasEscapes = current == UInt8(ascii: "\"")
        let quote: StaticString = hasEscapes ? "\"" : "'"
        take(quote)
        let start = plainRun()
        if take(quote) { return String(decoding: start, as: UTF8.self) }
        var text = Array(start)
        while true {
            text += plainRun()
            if take(quote) { break }
            guard let byte = current, byte != UInt8(ascii: "\n") else {
                throw unexpected("expected \(quote) at the end of the text")
            }
            if hasEscapes, byte == UInt8(ascii: "\\") {
                text += try escape()
            } else {
                try checkPrintable(byte)
                text.append(byte)
                advance()
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Skips what means itself in a string of any form.
    private mutating func plainRun() -> ArraySlice<UInt8> {
        run {
            Self.isPrintable($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "'")
                && $0 != UInt8(ascii: "\\")
        }
    }

    /// Parses a multi-line string after its opening quotes; a line break directly after them is not
    /// part of the string.
    private mutating func long(
        _ quotes: StaticString,
        hasEscapes: Bool
    ) throws(TOMLError) -> String {
        let start = line
        var text: [UInt8] = []
        _ = takeLineBreak()
        while true {
            text += plainRun()
            if take(quotes) { break }
            guard let byte = current else {
                throw error(at: start, .unterminatedString, "expected \(quotes) somewhere")
            }
            if hasEscapes, byte == UInt8(ascii: "\\") {
                if !takeFold() { text += try escape() }
            } else if takeLineBreak() {
                text.append(UInt8(ascii: "\n"))
            } else {
                try checkPrintable(byte)
                text.append(byte)
                advance()
            }
        }
        // Of up to five quotes at the end, the last three close the string; the others belong to it.
        let quote: StaticString = hasEscapes ? "\"" : "'"
        for _ in 0..<2 where take(quote) {
            text.append(hasEscapes ? UInt8(ascii: "\"") : UInt8(ascii: "'"))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Skips a backslash at the end of a line and all whitespace after it.
    private mutating func takeFold() -> Bool {
        var ahead = self
        ahead.take("\\")
        ahead.skipSpaces()
        guard ahead.takeLineBreak() else { return false }
        repeat { ahead.skipSpaces() } while ahead.takeLineBreak()
        self = ahead
        return true
    }

    private mutating func escape() throws(TOMLError) -> [UInt8] {
        take("\\")
        guard let byte = current else { throw unexpected("expected an escape") }
        let plain: UInt8? =
            switch byte {
            case UInt8(ascii: "b"): 0x08
            case UInt8(ascii: "t"): 0x09
            case UInt8(ascii: "n"): 0x0A
            case UInt8(ascii: "f"): 0x0C
            case UInt8(ascii: "r"): 0x0D
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): byte
            default: nil
            }
        if let plain {
            advance()
            return [plain]
        }
        let count = take("u") ? 4 : take("U") ? 8 : 0
        var digits = ""
        while digits.utf8.count < count, let byte = current, Self.isHexDigit(byte) {
            digits.unicodeScalars.append(Unicode.Scalar(byte))
            advance()
        }
        guard count > 0, digits.utf8.count == count, let value = UInt32(digits, radix: 16),
            let scalar = Unicode.Scalar(value)
        else { throw error(at: line, .unknownEscape, #"expected one such as \n or \u00e9"#) }
        return Array(String(scalar).utf8)
    }
}
