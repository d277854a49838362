/// Recognizes the dates and times of TOML 1.0, which are those of RFC 3339 section 5.6.
///
/// Their values are not read; they are recognized so that other unquoted text can be rejected.
struct TOMLDateTime {
    private var rest: Substring.UTF8View

    private init(_ text: String) {
        rest = Substring(text).utf8
    }

    /// Returns whether the text is a date, a time, or both, with or without an offset from UTC.
    static func matches(_ text: String) -> Bool {
        if isTime(text) { return true }
        var cursor = Self(text)
        guard cursor.date() else { return false }
        guard !cursor.rest.isEmpty else { return true }
        return cursor.take("Tt ") && cursor.time() && cursor.offset() && cursor.rest.isEmpty
    }

    static func isDate(_ text: String) -> Bool {
        var cursor = Self(text)
        return cursor.date() && cursor.rest.isEmpty
    }

    /// Returns whether the text is a time of day, with or without an offset from UTC.
    static func isTime(_ text: String) -> Bool {
        var cursor = Self(text)
        return cursor.time() && cursor.offset() && cursor.rest.isEmpty
    }

    /// Takes a date such as `2026-01-06`.
    private mutating func date() -> Bool {
        guard let year = number(4, in: 0...9999), take("-"), let month = number(2, in: 1...12),
            take("-")
        else { return false }
        let isLeap = year.isMultiple(of: 4) && !year.isMultiple(of: 100) || year.isMultiple(of: 400)
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return number(2, in: 1...days[month - 1]) != nil
    }

    /// Takes a time such as `14:18:40.5`; a leap second is second 60.
    private mutating func time() -> Bool {
        guard number(2, in: 0...23) != nil, take(":"), number(2, in: 0...59) != nil, take(":"),
            number(2, in: 0...60) != nil
        else { return false }
        guard take(".") else { return true }
        let digits = rest.prefix(while: Self.isDigit)
        rest = rest.dropFirst(digits.count)
        return !digits.isEmpty
    }

    /// Takes `Z`, an offset such as `+02:00`, or nothing.
    private mutating func offset() -> Bool {
        if rest.isEmpty || take("Zz") { return true }
        return take("+-") && number(2, in: 0...23) != nil && take(":")
            && number(2, in: 0...59) != nil
    }

    /// Takes one character if `characters` contains it.
    private mutating func take(_ characters: String) -> Bool {
        guard let first = rest.first, characters.utf8.contains(first) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Takes a number of exactly `count` digits.
    private mutating func number(_ count: Int, in range: ClosedRange<Int>) -> Int? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy(Self.isDigit) else { return nil }
        rest = rest.dropFirst(count)
        let number = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return range.contains(number) ? number : nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
