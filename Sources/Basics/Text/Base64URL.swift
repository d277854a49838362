import FoundationEssentials

/// Base64 with the URL-safe alphabet and no padding (RFC 4648 section 5).
package enum Base64URL {
    /// Returns the decoded bytes, or `nil` if a character is outside the alphabet or the length is
    /// impossible.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var standard = ""
        standard.reserveCapacity(text.utf8.count + 3)
        for character in text.unicodeScalars {
            switch character {
            case "-": standard.unicodeScalars.append("+")
            case "_": standard.unicodeScalars.append("/")
            case "+", "/", "=": return nil
            default: standard.unicodeScalars.append(character)
            }
        }
        let remainder = standard.utf8.count % 4
        if remainder == 1 { return nil }
        if remainder > 0 { standard += String(repeating: "=", count: 4 - remainder) }
        return Data(base64Encoded: standard).map(Array.init)
    }

    /// Returns the decoded bytes of a text in the alphabet of URLs or the ordinary one, or `nil` if it is
    /// in neither.
    ///
    /// - Parameter letters: The text without padding.
    /// - Returns: The bytes.
    package static func decodeEitherAlphabet(_ letters: some Sequence<UInt8>) -> [UInt8]? {
        var standard = letters.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        standard += repeatElement(UInt8(ascii: "="), count: (4 - standard.count % 4) % 4)
        return Data(base64Encoded: Data(standard)).map(Array.init)
    }

    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        String(
            decoding: Data(bytes).base64EncodedString().utf8.compactMap { byte -> UInt8? in
                switch byte {
                case UInt8(ascii: "+"): UInt8(ascii: "-")
                case UInt8(ascii: "/"): UInt8(ascii: "_")
                case UInt8(ascii: "="): nil
                default: byte
                }
            },
            as: UTF8.self
        )
    }
}
