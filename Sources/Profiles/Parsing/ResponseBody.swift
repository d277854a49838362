import Basics

/// A response's body by its type.
enum ResponseBody: Sendable, Hashable {
    case empty
    case json(JSONValue)
    /// An HTML page, with the text of its title.
    case html(title: String?)
    case text(String)
    case tooLarge

    init(_ response: WireResponse) {
        let bytes = Self.withoutMark(response.body)
        if bytes.count > WireResponse.bodyLimit {
            self = .tooLarge
        } else if bytes.allSatisfy(Self.isSpace) {
            self = .empty
        } else if let value = JSONValue(parsing: bytes) {
            self = .json(value)
        } else if Self.looksLikeHTML(response, bytes) {
            self = .html(title: Self.title(in: bytes))
        } else {
            self = .text(String(decoding: bytes.prefix(4096), as: UTF8.self))
        }
    }

    var json: JSONValue? {
        if case .json(let value) = self { return value }
        return nil
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
        case .html: "an HTML page"
        case .text: "text that is not JSON"
        case .tooLarge: "more than 1 MiB"
        }
    }

    /// Returns the text without the byte order mark that some backends write.
    private static func withoutMark(_ bytes: [UInt8]) -> [UInt8] {
        bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }

    private static func looksLikeHTML(_ response: WireResponse, _ bytes: [UInt8]) -> Bool {
        let type = response.header("Content-Type")?.asciiLowercased ?? ""
        return type.containsBytes(of: "html") || bytes.first { !isSpace($0) } == UInt8(ascii: "<")
    }

    private static func title(in bytes: [UInt8]) -> String? {
        let text = String(decoding: bytes.prefix(4096), as: UTF8.self)
        guard let open = text.firstRange(of: /<title[^>]*>/.ignoresCase()),
            let close = text[open.upperBound...].firstRange(of: /<\/title/.ignoresCase())
        else { return nil }
        return String(text[open.upperBound..<close.lowerBound])
    }
}
