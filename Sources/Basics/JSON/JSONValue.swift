/// A JSON value (RFC 8259), for bodies whose structure a dialect describes at run time.
package enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Parses the bytes; `nil` unless they are exactly one JSON value, nested at most 512 deep.
    package init?(parsing bytes: [UInt8]) {
        guard let value = JSONParser.parse(bytes) else { return nil }
        self = value
    }

    /// The value as JSON, with keys in alphabetical order and unescaped slashes, so that equal
    /// values give equal text.
    ///
    /// Invisible characters and those that change the direction of text are escaped.
    package var serialized: String {
        var writer = JSONWriter()
        writer.write(self)
        return writer.text
    }

    /// Returns JSON with invisible characters escaped.
    ///
    /// Only strings contain characters outside ASCII, and the encoder leaves them unescaped (RFC
    /// 8259 section 7).
    package static func escapingUnseen(_ json: String) -> String {
        guard json.unicodeScalars.contains(where: \.isUnseen) else { return json }
        var result = ""
        for scalar in json.unicodeScalars {
            guard scalar.isUnseen else {
                result.unicodeScalars.append(scalar)
                continue
            }
            for unit in scalar.utf16 {
                result += "\\u" + unit.hexadecimal
            }
        }
        return result
    }

    /// Returns the value at a dotted path of object keys and of indexes of lists, such as
    /// `data.tokens.0.value`, or `nil` if there is none.
    package func value(at path: String) -> JSONValue? {
        var value = self
        for key in path.parts(at: ".", keepsEmpty: true) {
            let next: JSONValue? =
                switch value {
                case .object(let members): members[String(key)]
                case .array(let elements):
                    Self.index(key).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
                case .null, .bool, .integer, .number, .string: nil
                }
            guard let next else { return nil }
            value = next
        }
        return value
    }

    /// Returns the index of a list that a part of a path is, from 0 on, or `nil` for any other text.
    package static func index(_ key: some StringProtocol) -> Int? {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        return key.utf8.allSatisfy(digits.contains) ? Int(key) : nil
    }

    /// Returns a member of an object, or `nil` if there is none.
    package subscript(key: String) -> JSONValue? {
        if case .object(let members) = self { return members[key] }
        return nil
    }

    package var stringValue: String? {
        if case .string(let text) = self { return text }
        return nil
    }

    /// The number, also if it is written as a string: backends send both.
    package var numberValue: Double? {
        switch self {
        case .integer(let value): return Double(value)
        case .number(let value): return value
        case .string(let text): return Double(text)
        case .null, .bool, .array, .object: return nil
        }
    }

    package var boolValue: Bool? {
        if case .bool(let value) = self { return value }
        return nil
    }

    /// The value as a user would write it: strings without quotes, whole numbers without a
    /// fraction.
    package var displayText: String? {
        switch self {
        case .string(let text): return text
        case .integer(let value): return String(value)
        case .number(let value): return String(value)
        case .bool(let value): return String(value)
        case .null, .array, .object: return nil
        }
    }
}

extension JSONValue: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}
