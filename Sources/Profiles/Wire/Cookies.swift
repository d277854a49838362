import Basics

/// Formatting and parsing of cookies (RFC 6265 section 4).
enum Cookies {
    static let header = "Cookie"

    /// Returns a `name=value` pair, in which characters that are not allowed in a cookie are
    /// percent-encoded.
    static func pair(_ name: String, _ value: String) -> String {
        "\(name)=\(encoded(value))"
    }

    /// Returns a value in which characters that are not allowed in a cookie are percent-encoded.
    static func encoded(_ value: String) -> String {
        PercentEncoding.encode(value, keeping: isPlain)
    }

    /// Returns the value that a cookie was given, which is what a script that reads it sends.
    static func decoded(_ raw: String) -> String {
        PercentEncoding.decode(unquoted(raw), plusIsSpace: false)
    }

    /// Returns the value of a cookie in a `Cookie` header.
    static func value(of name: String, in header: String) -> String? {
        pairs(in: header).first { $0.name == name }.map { decoded($0.value) }
    }

    /// Returns the names and the values, as they are written, in a `Cookie` header.
    static func pairs(in header: String) -> [(name: String, value: String)] {
        header.parts(at: ";").compactMap { pair in
            let halves = pair.parts(at: "=", limit: 2, keepsEmpty: true)
            guard halves.count == 2 else { return nil }
            return (trimmed(halves[0]), trimmed(halves[1]))
        }
    }

    /// Returns the value of a cookie that a response sets; `nil` also if it deletes the cookie.
    static func value(of name: String, setBy response: WireResponse) -> String? {
        guard case .set(let cookie)? = SetCookie.change(of: name, in: response) else { return nil }
        let value = decoded(cookie.value)
        return value.isEmpty ? nil : value
    }

    static func trimmed(_ text: Substring) -> String {
        String(text.trimmingBlanks)
    }

    private static func unquoted(_ text: String) -> String {
        guard text.utf8.count >= 2, let inner = text.part(after: "\"")?.part(upTo: "\"") else {
            return text
        }
        return String(inner)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\\"): false
        case UInt8(ascii: "%"): false
        default: (0x21...0x7E).contains(byte)
        }
    }
}
