/// Formatting and parsing of cookies (RFC 6265 section 4).
enum Cookies {
    /// Returns a `name=value` pair, in which characters that are not allowed in a cookie are
    /// percent-encoded.
    static func pair(_ name: String, _ value: String) -> String {
        "\(name)=\(PercentEncoding.encode(value, keeping: isPlain))"
    }

    /// Returns the value of a cookie in a `Cookie` header.
    static func value(of name: String, in header: String) -> String? {
        for pair in header.split(separator: ";") {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2, trimmed(halves[0]) == name else { continue }
            return PercentEncoding.decode(unquoted(trimmed(halves[1])), plusIsSpace: false)
        }
        return nil
    }

    /// Returns the value of a cookie that a response sets; `nil` also if it deletes the cookie.
    static func value(of name: String, setBy response: WireResponse) -> String? {
        for header in response.headers where header.name.lowercased() == "set-cookie" {
            let pair = String(header.value.prefix { $0 != ";" })
            if let value = value(of: name, in: pair), !value.isEmpty { return value }
        }
        return nil
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " })
    }

    private static func unquoted(_ text: String) -> String {
        guard text.utf8.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return text }
        return String(text.dropFirst().dropLast())
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\\"): false
        case UInt8(ascii: "%"): false
        default: (0x21...0x7E).contains(byte)
        }
    }
}
