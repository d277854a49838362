/// Parses one JSON value (RFC 8259) in one pass, in time linear in the number of bytes: servers are
/// untrusted, and `JSONDecoder` needs minutes for a deeply nested megabyte.
///
/// Within a string, U+FFFD stands for bytes that are not UTF-8 and for half of a surrogate pair, as in
/// browsers: an answer with tokens is not lost for a name that was cut in two. A byte order mark at the
/// beginning is ignored.
struct JSONParser {
    /// The deepest nesting of arrays and objects that is read.
    static let depthLimit = 512

    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0

    /// Returns the value, or `nil` unless the bytes are exactly one value.
    static func parse(_ bytes: [UInt8]) -> JSONValue? {
        bytes.withUnsafeBufferPointer { buffer in
            var parser = JSONParser(bytes: buffer)
            _ = parser.take("\u{FEFF}")
            guard let value = parser.value(depth: 0) else { return nil }
            parser.skipSpaces()
            return parser.index == buffer.count ? value : nil
        }
    }

    private init(bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    private var current: UInt8? {
        index < bytes.count ? bytes[index] : nil
    }

    private mutating func skipSpaces() {
        while let byte = current, [0x20, 0x0A, 0x0D, 0x09].contains(byte) { index += 1 }
    }

    private mutating func take(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes.count - index >= count else { return false }
        let isSame = text.withUTF8Buffer { wanted in
            (0..<count).allSatisfy { bytes[index + $0] == wanted[$0] }
        }
        if isSame { index += count }
        return isSame
    }

    private mutating func value(depth: Int) -> JSONValue? {
        guard depth <= Self.depthLimit else { return nil }
        skipSpaces()
        switch current {
        case UInt8(ascii: "{"): return object(depth: depth)
        case UInt8(ascii: "["): return array(depth: depth)
        case UInt8(ascii: "\""): return string().map(JSONValue.string)
        case UInt8(ascii: "t"): return take("true") ? .bool(true) : nil
        case UInt8(ascii: "f"): return take("false") ? .bool(false) : nil
        case UInt8(ascii: "n"): return take("null") ? .null : nil
        default: return number()
        }
    }

    private mutating func array(depth: Int) -> JSONValue? {
        index += 1
        var elements: [JSONValue] = []
        skipSpaces()
        if take("]") { return .array(elements) }
        while let element = value(depth: depth + 1) {
            elements.append(element)
            skipSpaces()
            if take("]") { return .array(elements) }
            guard take(",") else { return nil }
        }
        return nil
    }

    private mutating func object(depth: Int) -> JSONValue? {
        index += 1
        var members: [String: JSONValue] = [:]
        skipSpaces()
        if take("}") { return .object(members) }
        // Grown from nothing, a small table is made three times.
        members.reserveCapacity(3)
        while true {
            skipSpaces()
            guard current == UInt8(ascii: "\""), let key = string() else { return nil }
            skipSpaces()
            guard take(":"), let member = value(depth: depth + 1) else { return nil }
            members[key] = member
            skipSpaces()
            if take("}") { return .object(members) }
            guard take(",") else { return nil }
        }
    }

    /// Returns the text between the quotes, or `nil` if it is unterminated or contains an invalid
    /// escape.
    private mutating func string() -> String? {
        index += 1
        var text: [UInt8] = []
        var start = index
        while let byte = current {
            switch byte {
            case UInt8(ascii: "\""):
                let rest = bytes[start..<index]
                index += 1
                if text.isEmpty { return String(decoding: rest, as: UTF8.self) }
                return String(decoding: text + rest, as: UTF8.self)
            case UInt8(ascii: "\\"):
                text += bytes[start..<index]
                index += 1
                guard let scalar = escape() else { return nil }
                text += Array(String(scalar).utf8)
                start = index
            case 0..<0x20: return nil
            default: index += 1
            }
        }
        return nil
    }

    private mutating func escape() -> Unicode.Scalar? {
        guard let byte = current else { return nil }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return unicode()
        default: return nil
        }
    }

    /// Reads four hex digits, or two such escapes that form a surrogate pair.
    private mutating func unicode() -> Unicode.Scalar? {
        guard let high = hexDigits() else { return nil }
        guard (0xD800..<0xDC00).contains(high) else { return Unicode.Scalar(high) ?? "\u{FFFD}" }
        let next = index
        guard take("\\u"), let low = hexDigits(), (0xDC00..<0xE000).contains(low) else {
            index = next
            return "\u{FFFD}"
        }
        return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
    }

    private mutating func hexDigits() -> UInt32? {
        guard bytes.count - index >= 4 else { return nil }
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = bytes[index].hexDigitValue else {
                return nil
            }
            value = value << 4 | UInt32(digit)
            index += 1
        }
        return value
    }

    private mutating func number() -> JSONValue? {
        let start = index
        _ = take("-")
        let whole = digits()
        guard whole > 0, whole == 1 || bytes[index - whole] != UInt8(ascii: "0") else { return nil }
        var isInteger = true
        if take(".") {
            isInteger = false
            guard digits() > 0 else { return nil }
        }
        if take("e") || take("E") {
            isInteger = false
            if !take("+") { _ = take("-") }
            guard digits() > 0 else { return nil }
        }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        if isInteger, let integer = Int64(text) { return .integer(integer) }
        guard let number = Double(text), number.isFinite else { return nil }
        return Int64(exactly: number).map(JSONValue.integer) ?? .number(number)
    }

    private mutating func digits() -> Int {
        let start = index
        while let byte = current, (0x30...0x39).contains(byte) { index += 1 }
        return index - start
    }
}
