import FoundationEssentials

/// Base64 with the URL-safe alphabet and no padding (RFC 4648 section 5).
package enum Base64URL {
    /// Returns the decoded bytes, or `nil` if a character is outside the alphabet or the length is
    /// impossible.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        decode(text.utf8, hasOrdinary: false)
    }

    /// Returns the decoded bytes of a text in the alphabet of URLs or the ordinary one, or `nil` if it is
    /// in neither.
    ///
    /// - Parameter letters: The text without padding.
    /// - Returns: The bytes.
    package static func decodeEitherAlphabet(_ letters: some Collection<UInt8>) -> [UInt8]? {
        decode(letters, hasOrdinary: true)
    }

    private static func decode(_ letters: some Collection<UInt8>, hasOrdinary: Bool) -> [UInt8]? {
        letters.withContiguousStorageIfAvailable { decode($0, hasOrdinary: hasOrdinary) }
            ?? Array(letters).withUnsafeBufferPointer { decode($0, hasOrdinary: hasOrdinary) }
    }

    private static func decode(
        _ letters: UnsafeBufferPointer<UInt8>,
        hasOrdinary: Bool
    ) -> [UInt8]? {
        guard letters.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(letters.count / 4 * 3 + 2)
        var bits: UInt32 = 0
        var count = 0
        for letter in letters {
            guard let value = value(of: letter, hasOrdinary: hasOrdinary) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        return bytes
    }

    private static func value(of letter: UInt8, hasOrdinary: Bool) -> UInt8? {
        switch letter {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): letter - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): letter - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): letter - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        case UInt8(ascii: "+") where hasOrdinary: 62
        case UInt8(ascii: "/") where hasOrdinary: 63
        default: nil
        }
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
