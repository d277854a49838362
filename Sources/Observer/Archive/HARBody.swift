import Basics
import Profiles

/// A body as an HTTP archive has it: as text, as base64, as the fields of a form, or in a file beside
/// the archive.
struct HARBody {
    let bytes: [UInt8]
    let type: String?
    /// Whether there was one that may have had tokens, and the archive lacks it.
    let isMissing: Bool

    init(ofRequest request: HARNode, file: (String) -> [UInt8]?) throws(HARProblem) {
        guard let data = try request.optional("postData") else {
            self.init([], nil, size: try Self.size(request.optional("bodySize")))
            return
        }
        var bytes = try Self.bytes(of: data, file: file)
        if bytes.isEmpty {
            bytes = Array(FormEncoding.encode(try data.optional("params")?.fields() ?? []).utf8)
        }
        let type = try data.optional("mimeType")?.text()
        self.init(bytes, type, size: try Self.size(request.optional("bodySize")))
    }

    init(ofAnswer entry: HARNode, file: (String) -> [UInt8]?) throws(HARProblem) {
        let content = try entry.optional("response")?.optional("content")
        guard let content else {
            self.init([], nil, size: 0)
            return
        }
        self.init(
            try Self.bytes(of: content, file: file),
            try content.optional("mimeType")?.text(),
            size: try Self.size(content.optional("size"))
        )
    }

    private init(_ bytes: [UInt8], _ type: String?, size: Double) {
        self.bytes = bytes
        self.type = type
        isMissing = bytes.isEmpty && size > 0 && Self.mayHaveTokens(type ?? "")
    }

    /// A size that some tools leave out, or state as -1.
    private static func size(_ node: HARNode?) -> Double {
        (try? node?.number()) ?? 0
    }

    private static func mayHaveTokens(_ type: String) -> Bool {
        let name = type.part(before: ";").trimmingBlanks.asciiLowercased
        return name.isEmpty || name.containsBytes(of: "json")
            || ["application/x-www-form-urlencoded", "text/plain", "x-unknown"].contains(name)
    }

    private static func bytes(
        of node: HARNode,
        file: (String) -> [UInt8]?
    ) throws(HARProblem) -> [UInt8] {
        let text = try node.optional("text")?.text() ?? ""
        if text.isEmpty, let name = try node.optional("_file")?.text() {
            return isPlainName(name) ? file(name) ?? [] : []
        }
        guard try node.optional("encoding")?.text() == "base64" else { return Array(text.utf8) }
        // Some tools say base64 of what they did not encode.
        return decoded(text) ?? Array(text.utf8)
    }

    /// Whether a name leads nowhere but to a file beside the archive.
    private static func isPlainName(_ name: String) -> Bool {
        !name.isEmpty && !name.begins(with: ".") && name.utf8.count <= 255
            && !name.unicodeScalars.contains { "/\\:".unicodeScalars.contains($0) || $0.isUnseen }
    }

    /// Decodes base64, also of URLs, without padding or in lines (RFC 4648).
    private static func decoded(_ text: String) -> [UInt8]? {
        Base64URL.decodeEitherAlphabet(text.utf8.filter { !" \t\r\n=".utf8.contains($0) })
    }
}

/// The text of an archive, by the encodings and wrappers that tools write.
enum HARText {
    /// Returns the archive's JSON, or `nil` if there is none.
    ///
    /// UTF-16 is what some shells write to files; a call around the archive (JSONP) is what viewers of
    /// archives read.
    static func json(in bytes: [UInt8]) -> JSONValue? {
        let text = utf8(bytes)
        if let json = JSONValue(parsing: text) { return json }
        guard let start = text.firstIndex(of: UInt8(ascii: "(")),
            let end = text.lastIndex(of: UInt8(ascii: ")")), start < end,
            isName(text[..<start]), isEnd(text[(end + 1)...])
        else { return nil }
        return JSONValue(parsing: Array(text[(start + 1)..<end]))
    }

    private static func utf8(_ bytes: [UInt8]) -> [UInt8] {
        let isBig = bytes.starts(with: [0xFE, 0xFF])
        guard isBig || bytes.starts(with: [0xFF, 0xFE]) else { return bytes }
        let units = stride(from: 2, to: bytes.count - 1, by: 2).map { index in
            let (high, low) = isBig ? (index, index + 1) : (index + 1, index)
            return UInt16(bytes[high]) << 8 | UInt16(bytes[low])
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }

    private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
        let name = String(decoding: bytes, as: UTF8.self).trimmingBlanks
        return !name.isEmpty && name.utf8.count <= 64
            && name.utf8.allSatisfy { $0.isAlphanumeric || "_$.".utf8.contains($0) }
    }

    private static func isEnd(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.allSatisfy { "; \t\r\n".utf8.contains($0) }
    }
}
