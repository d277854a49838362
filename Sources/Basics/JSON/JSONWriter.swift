/// Writes values as JSON (RFC 8259) without white space, with keys in alphabetical order and
/// unescaped slashes.
///
/// Invisible characters and those that change the direction of text are escaped. A number that JSON
/// has no form for, such as infinity, becomes `null`.
package struct JSONWriter: Sendable {
    private var bytes: [UInt8] = []

    /// - Parameter count: The bytes for which there is room from the start.
    package init(reserving count: Int = 0) { bytes.reserveCapacity(count) }

    /// The text that has been written so far.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    package mutating func beginObject() {
        bytes.append(UInt8(ascii: "{"))
    }

    package mutating func endObject() {
        bytes.append(UInt8(ascii: "}"))
    }

    package mutating func writeMember(_ name: String, _ value: JSONValue) {
        // The name of the first member follows the brace; no value ends with one that opens.
        if bytes.last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
        write(name)
        bytes.append(UInt8(ascii: ":"))
        write(value)
    }

    mutating func write(_ value: JSONValue) {
        switch value {
        case .null: write(literal: "null")
        case .bool(let value): write(literal: value ? "true" : "false")
        case .integer(let value): write(literal: String(value))
        case .number(let value): write(value)
        case .string(let value): write(value)
        case .array(let values): write(values)
        case .object(let members):
            beginObject()
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                writeMember(name, value)
            }
            endObject()
        }
    }

    private mutating func write(_ values: [JSONValue]) {
        bytes.append(UInt8(ascii: "["))
        for (index, value) in values.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            write(value)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func write(_ number: Double) {
        guard number.isFinite else { return write(literal: "null") }
        let text = number.description
        write(literal: text.ends(with: ".0") ? String(text.dropLast(2)) : text)
    }

    private mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            // What needs no escape is copied at once.
            var (copied, place) = (0, 0)
            while place < utf8.count {
                guard !Self.isPlain(utf8[place]) else {
                    place += 1
                    continue
                }
                let scalar = Self.scalar(in: utf8[place...])
                let end = place + UTF8.width(scalar)
                if let escape = Self.escape(of: scalar) {
                    bytes.append(contentsOf: utf8[copied..<place])
                    write(literal: escape)
                    copied = end
                }
                place = end
            }
            bytes.append(contentsOf: utf8[copied...])
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Returns the first scalar of valid UTF-8, which is not empty.
    private static func scalar(in utf8: Slice<UnsafeBufferPointer<UInt8>>) -> Unicode.Scalar {
        String(decoding: utf8.prefix(4), as: UTF8.self).unicodeScalars.first ?? "\u{FFFD}"
    }

    /// Returns the escape of a scalar, or `nil` if a string contains it as it is.
    private static func escape(of scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "\"": #"\""#
        case "\\": #"\\"#
        case "\n": #"\n"#
        case "\r": #"\r"#
        case "\t": #"\t"#
        case "\u{8}": #"\b"#
        case "\u{C}": #"\f"#
        case _ where scalar.isUnseen: scalar.utf16.map { "\\u" + $0.hexadecimal }.joined()
        default: nil
        }
    }

    private mutating func write(literal: String) {
        bytes.append(contentsOf: literal.utf8)
    }

    /// Whether a byte is an ASCII character that a string contains as it is.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
}
