import Basics

/// The elements of an XML document as JSON has them.
///
/// Text is a string, what holds elements is an object, and several elements of one name are a list;
/// attributes are members. Names have no prefix, and the outermost element is the whole.
///
/// It reads what servers and clients write, and checks little of it: no name spaces, and no entities of
/// a document type.
struct XMLFields {
    private struct Element {
        let name: String
        var members: [String: JSONValue]
        var text: [UInt8] = []
    }

    private static let depthLimit = 32
    private static let elementLimit = 4_096

    private let bytes: [UInt8]
    private var place = 0
    private var open: [Element] = []
    private var count = 0
    private var result: JSONValue?

    /// Returns the elements, or `nil` unless it is a whole document.
    static func parse(_ bytes: [UInt8]) -> JSONValue? {
        var fields = XMLFields(bytes: bytes)
        return fields.parse()
    }

    /// Whether the type of a body is XML, and not that of a page.
    static func isXML(_ type: String?) -> Bool {
        guard let type = type?.asciiLowercased else { return false }
        return type.containsBytes(of: "xml") && !type.containsBytes(of: "html")
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func parse() -> JSONValue? {
        while place < bytes.count {
            guard bytes[place] == UInt8(ascii: "<") else {
                if !open.isEmpty { open[open.count - 1].text.append(bytes[place]) }
                place += 1
                continue
            }
            guard readMarkup() else { return nil }
        }
        return open.isEmpty ? result : nil
    }

    private mutating func readMarkup() -> Bool {
        let rest = bytes[place...]
        if rest.starts(with: "<!--".utf8) { return take(after: 4, until: "-->") != nil }
        if rest.starts(with: "<?".utf8) { return take(after: 2, until: "?>") != nil }
        if rest.starts(with: "<![CDATA[".utf8) {
            guard let text = take(after: 9, until: "]]>") else { return false }
            if !open.isEmpty { open[open.count - 1].text += text }
            return true
        }
        if rest.starts(with: "<!".utf8) { return take(after: 2, until: ">") != nil }
        guard let tag = take(after: 1, until: ">") else { return false }
        if tag.first == UInt8(ascii: "/") { return close(tag.dropFirst()) }
        let isEmpty = tag.last == UInt8(ascii: "/")
        return begin(isEmpty ? tag.dropLast() : tag) && (!isEmpty || end())
    }

    /// Returns what stands before the end of a piece of markup, and goes on after it.
    private mutating func take(after start: Int, until end: String) -> ArraySlice<UInt8>? {
        let end = Array(end.utf8)
        var next = place + start
        while next + end.count <= bytes.count {
            guard bytes[next] == end[0], bytes[next..<(next + end.count)].elementsEqual(end) else {
                next += 1
                continue
            }
            defer { place = next + end.count }
            return bytes[(place + start)..<next]
        }
        return nil
    }

    private mutating func begin(_ tag: ArraySlice<UInt8>) -> Bool {
        count += 1
        guard count <= Self.elementLimit, open.count < Self.depthLimit,
            result == nil || !open.isEmpty
        else { return false }
        let name = tag.prefix { $0 > 0x20 }
        guard !name.isEmpty else { return false }
        let members = Self.attributes(tag[name.endIndex...])
        open.append(Element(name: Self.bare(name), members: members))
        return true
    }

    private mutating func close(_ name: ArraySlice<UInt8>) -> Bool {
        guard open.last?.name == Self.bare(name.prefix { $0 > 0x20 }) else { return false }
        return end()
    }

    private mutating func end() -> Bool {
        guard let element = open.popLast() else { return false }
        let text = String(decoding: element.text, as: UTF8.self).trimming { $0 <= 0x20 }
        var value = JSONValue.string(Self.decoded(String(text)))
        if !element.members.isEmpty {
            // Attributes stand beside the text.
            let isText = !text.isEmpty && element.members["text"] == nil
            let own = isText ? ["text": value] : [:]
            value = .object(element.members.merging(own) { first, _ in first })
        }
        guard !open.isEmpty else {
            result = value
            return true
        }
        let outer = open.count - 1
        switch open[outer].members[element.name] {
        case .array(let values): open[outer].members[element.name] = .array(values + [value])
        case let first?: open[outer].members[element.name] = .array([first, value])
        case nil: open[outer].members[element.name] = value
        }
        return true
    }

    /// Returns the attributes of a tag, as far as they are written well.
    private static func attributes(_ tag: ArraySlice<UInt8>) -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        var rest = tag
        while let equals = rest.firstIndex(of: UInt8(ascii: "=")) {
            let name = rest[..<equals].drop { $0 <= 0x20 }.prefix { $0 > 0x20 }
            let value = rest[(equals + 1)...].drop { $0 <= 0x20 }
            guard !name.isEmpty, let quote = value.first, "\"'".utf8.contains(quote),
                let end = value.dropFirst().firstIndex(of: quote)
            else { break }
            let text = String(decoding: value[(value.startIndex + 1)..<end], as: UTF8.self)
            members[bare(name)] = .string(decoded(text))
            rest = rest[(end + 1)...]
        }
        return members
    }

    private static func bare(_ name: ArraySlice<UInt8>) -> String {
        let name = String(decoding: name, as: UTF8.self)
        return String(name.halves(at: ":")?.after ?? name[...])
    }

    private static let entities = [
        ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&"),
    ]

    private static func decoded(_ text: String) -> String {
        guard text.has("&") else { return text }
        return entities.reduce(text) { $0.replacing(bytes: $1.0, with: $1.1) }
    }
}
