import Basics

/// A response's body by its type.
enum ResponseBody: Sendable, Hashable {
    case empty
    case json(JSONValue)
    /// The elements of XML, in which no profile can name a place.
    case xml(JSONValue)
    /// An HTML page, with the text of its title.
    case html(title: String?)
    case text(String)
    case tooLarge

    init(_ response: WireResponse, by recognition: Recognition = .builtIn) {
        let bytes = Self.withoutMark(response.body)
        if bytes.count > WireResponse.bodyLimit {
            self = .tooLarge
        } else if bytes.allSatisfy(Self.isSpace) {
            self = .empty
        } else if let value = JSONValue(parsing: bytes) ?? Self.guardedJSON(in: bytes) {
            self = .json(value)
        } else if let elements = Self.elements(response, bytes) {
            self = .xml(elements)
        } else if Self.looksLikeHTML(response, bytes) {
            self = .html(title: Self.title(in: bytes))
        } else if let form = Self.form(response, bytes, by: recognition) {
            self = .json(form)
        } else {
            self = .text(String(decoding: bytes.prefix(4096), as: UTF8.self))
        }
    }

    var json: JSONValue? {
        if case .json(let value) = self { return value }
        return nil
    }

    /// What it has by names: its JSON, or the elements of its XML.
    var named: JSONValue? {
        switch self {
        case .json(let value), .xml(let value): value
        case .empty, .html, .text, .tooLarge: nil
        }
    }

    var isXML: Bool {
        if case .xml = self { return true }
        return false
    }

    /// Whether it is a JSON object, which every response in a dialect's format is.
    var isObject: Bool {
        if case .json(.object) = self { return true }
        return false
    }

    var isHTML: Bool {
        if case .html = self { return true }
        return false
    }

    /// The type of the body, for messages.
    var kind: String {
        switch self {
        case .empty: "an empty body"
        case .json(.object): "a JSON object"
        case .json: "JSON that is not an object"
        case .xml: "XML"
        case .html: "an HTML page"
        case .text: "text that is not JSON"
        case .tooLarge: "more than 1 MiB"
        }
    }

    private static func elements(_ response: WireResponse, _ bytes: [UInt8]) -> JSONValue? {
        XMLFields.isXML(response.header("Content-Type")) ? XMLFields.parse(bytes) : nil
    }

    /// What precedes JSON so that no other page can run it as a script.
    private static let guards = [")]}',", ")]}'", "while(1);", "for(;;);", "{}&&"]

    /// Returns the JSON after such a guard, or in the call of JSONP, or `nil` if there is none.
    private static func guardedJSON(in bytes: [UInt8]) -> JSONValue? {
        let rest = bytes.drop(while: isSpace)
        for text in guards where rest.starts(with: text.utf8) {
            return JSONValue(parsing: Array(rest.dropFirst(text.utf8.count)))
        }
        guard let open = rest.prefix(64).firstIndex(of: UInt8(ascii: "(")),
            let close = rest.lastIndex(of: UInt8(ascii: ")")), open < close,
            rest[..<open].allSatisfy({ $0.isAlphanumeric || "_$.".utf8.contains($0) }),
            rest[(close + 1)...].allSatisfy({ isSpace($0) || $0 == UInt8(ascii: ";") })
        else { return nil }
        return JSONValue(parsing: Array(rest[(open + 1)..<close]))
    }

    /// The size of the largest form, in bytes.
    private static let formLimit = 64 * 1024

    /// Returns the fields of a form: of one that says that it is one, or of plain text that looks like
    /// one and has a token.
    private static func form(
        _ response: WireResponse,
        _ bytes: [UInt8],
        by recognition: Recognition
    ) -> JSONValue? {
        let type = response.header("Content-Type")?.asciiLowercased ?? ""
        let isForm = type.containsBytes(of: "form-urlencoded")
        guard isForm || type.isEmpty || type.begins(with: "text/plain"), bytes.count <= formLimit
        else { return nil }
        let text = bytes.drop(while: isSpace)
        let end = text.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? text.endIndex
        guard text.contains(UInt8(ascii: "=")), text[..<end].allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        let fields = FormEncoding.decode(String(decoding: text[..<end], as: UTF8.self))
        let hasToken = fields.contains { name, value in
            recognition.tokens.role(ofKey: name) != nil
                && value.utf8.count >= TokenNames.shortestToken
        }
        return isForm || hasToken ? .object(fields.mapValues(JSONValue.string)) : nil
    }

    /// Returns the text without the byte order mark that some backends write.
    private static func withoutMark(_ bytes: [UInt8]) -> [UInt8] {
        bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }

    private static func looksLikeHTML(_ response: WireResponse, _ bytes: [UInt8]) -> Bool {
        let type = response.header("Content-Type")
        guard !XMLFields.isXML(type) else { return false }
        return type?.asciiLowercased.containsBytes(of: "html") ?? false
            || bytes.first { !isSpace($0) } == UInt8(ascii: "<")
    }

    private static func title(in bytes: [UInt8]) -> String? {
        let text = String(decoding: bytes.prefix(4096), as: UTF8.self)
        guard let open = text.firstRange(of: /<title[^>]*>/.ignoresCase()),
            let close = text[open.upperBound...].firstRange(of: /<\/title/.ignoresCase())
        else { return nil }
        return String(text[open.upperBound..<close.lowerBound])
    }
}
