/// Parsing of unquoted values: Booleans, numbers and dates.
extension TOMLCursor {
    mutating func scalar() throws(TOMLError) -> TOMLItem.Value {
        let start = self
        var word = text(while: Self.isPart)
        if TOMLDateTime.isDate(word), isAt(" ") {
            // A space may separate a date from its time of day.
            var ahead = self
            ahead.take(" ")
            let time = ahead.text(while: Self.isPart)
            if TOMLDateTime.isTime(time) {
                self = ahead
                word += "T" + time
            }
        }
        guard !word.isEmpty else { throw unexpected("expected a value") }
        switch word {
        case "true": return .bool(true)
        case "false": return .bool(false)
        default: break
        }
        if let number = Self.number(word) { return number }
        if TOMLDateTime.matches(word) { return .date }
        let expected = "expected text in quotes, a number, true or false"
        throw start.error(at: start.line, .unknownValue(word), expected)
    }

    private static func isPart(_ byte: UInt8) -> Bool {
        TOMLItem.isBareKeyByte(byte) || ".~+:".utf8.contains(byte) || byte >= 0x80
    }

    private static func number(_ word: String) -> TOMLItem.Value? {
        if word.utf8.allSatisfy(isDigit), word.utf8.first != UInt8(ascii: "0") {
            return Int(word).map(TOMLItem.Value.integer)
        }
        // From here on, each byte is a character.
        guard word.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let sign = word.first == "-" || word.first == "+" ? String(word.prefix(1)) : ""
        let rest = word.dropFirst(sign.count)
        if rest == "inf" { return .number(sign == "-" ? -.infinity : .infinity) }
        if rest == "nan" { return .number(.nan) }
        for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] where word.hasPrefix(prefix) {
            return joined(word.dropFirst(2), by: isHexDigit).flatMap { Int($0, radix: radix) }
                .map(TOMLItem.Value.integer)
        }
        guard let digits = joined(rest, by: isDigit), let first = digits.utf8.first, isDigit(first)
        else {
            return nil
        }
        let whole = digits.prefix { $0.isASCII && $0.isNumber }
        guard whole.count == 1 || first != UInt8(ascii: "0") else { return nil }
        if whole.count == digits.count { return Int(sign + digits).map(TOMLItem.Value.integer) }
        return fraction(digits.dropFirst(whole.count))
            ? Double(sign + digits).map(TOMLItem.Value.number) : nil
    }

    /// Returns the text without its underscores, or `nil` if one of them is not between two digits.
    private static func joined(_ text: Substring, by isDigit: (UInt8) -> Bool) -> String? {
        let groups = text.split(separator: "_", omittingEmptySubsequences: false)
        let isSound = groups.allSatisfy { group in
            guard let first = group.utf8.first, let last = group.utf8.last else { return false }
            return groups.count == 1 || isDigit(first) && isDigit(last)
        }
        let isSigned = text.utf8.first == UInt8(ascii: "+") || text.utf8.first == UInt8(ascii: "-")
        return isSound && !isSigned ? groups.joined() : nil
    }

    /// Returns whether the text is a fraction (`.digits`), an exponent, or both.
    private static func fraction(_ text: Substring) -> Bool {
        var rest = text.utf8
        if rest.first == UInt8(ascii: ".") {
            let digits = rest.dropFirst().prefix(while: isDigit)
            guard !digits.isEmpty else { return false }
            rest = rest.dropFirst(digits.count + 1)
        }
        guard let mark = rest.first else { return true }
        guard mark == UInt8(ascii: "e") || mark == UInt8(ascii: "E") else { return false }
        rest = rest.dropFirst()
        if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") {
            rest = rest.dropFirst()
        }
        return !rest.isEmpty && rest.allSatisfy(isDigit)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte)
    }

    static func isHexDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
    }
}
