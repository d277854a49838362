import Basics

/// Percent-encoding for queries and forms (RFC 3986 section 2, WHATWG URL "form-urlencoded").
package enum PercentEncoding {
    /// Encodes everything but letters, digits, `-`, `.`, `_` and `~` as `%XX`.
    static func encode(_ text: String) -> String {
        encode(text, keeping: isUnreserved)
    }

    static func encode(_ text: String, keeping isKept: (UInt8) -> Bool) -> String {
        var result: [UInt8] = []
        for byte in text.utf8 {
            if isKept(byte) {
                result.append(byte)
            } else {
                result += "%\(byte.hexadecimal.asciiUppercased)".utf8
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Decodes a text; a `%` that is not followed by two hex digits stays, and `+` is a space in
    /// forms and queries.
    package static func decode(_ text: some StringProtocol, plusIsSpace: Bool) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let high = bytes[index + 1].hexDigitValue,
                let low = bytes[index + 2].hexDigitValue
            {
                result.append(high << 4 | low)
                index += 3
            } else {
                let isSpace = plusIsSpace && bytes[index] == UInt8(ascii: "+")
                result.append(isSpace ? UInt8(ascii: " ") : bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: false
        }
    }
}

/// Names and values joined by `=` and `&`, for a form's body or a query.
package enum FormEncoding {
    package static func encode(_ pairs: [(name: String, value: String)]) -> String {
        pairs.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }
            .joined(separator: "&")
    }

    /// Decodes a text; the first value under a name is used.
    package static func decode(_ text: some StringProtocol) -> [String: String] {
        var values: [String: String] = [:]
        for pair in text.parts(at: "&", limit: 1001) {
            let halves = pair.parts(at: "=", limit: 2, keepsEmpty: true)
            let name = PercentEncoding.decode(halves[0], plusIsSpace: true)
            let value =
                halves.count > 1 ? PercentEncoding.decode(halves[1], plusIsSpace: true) : ""
            if values[name] == nil { values[name] = value }
        }
        return values
    }
}
