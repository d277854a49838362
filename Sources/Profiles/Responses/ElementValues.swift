import Basics

/// The contents of elements of XML that are named like secrets, also within the strings of JSON: with
/// attributes and namespaces, as CDATA, with other elements in them, and with brackets that are
/// escaped.
struct ElementValues {
    let names: SecretNames
    /// The names of elements that nothing ends any more.
    private var unended: Set<[UInt8]> = []

    private static let opening = ["<", "&lt;", "\\u003c", "\\u003C"].map { Array($0.utf8) }
    private static let closing = [">", "&gt;", "\\u003e", "\\u003E"].map { Array($0.utf8) }
    private static let slashes = ["/", "\\/"].map { Array($0.utf8) }
    private static let longestName = 80
    private static let longestAttributes = 512

    init(names: SecretNames) {
        self.names = names
    }

    /// Whether one may begin with a byte, as it is or escaped.
    static func mayBegin(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "<") || byte == UInt8(ascii: "&") || byte == UInt8(ascii: "\\")
    }

    /// Returns the text with marks in place of the secrets.
    mutating func hidden(in bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var place = 0
        while place < bytes.count {
            if let content = content(ofElementAt: place, in: bytes) {
                result += bytes[place..<content.lowerBound]
                result += Array(KnownSecrets.hidden.utf8)
                place = content.upperBound
            } else {
                result.append(bytes[place])
                place += 1
            }
        }
        return result
    }

    /// Whether a text ends where the name of an end tag begins, or the part after its prefix.
    static func isEndTag(after text: ArraySlice<UInt8>) -> Bool {
        var text = text
        if text.last == UInt8(ascii: ":") {
            while let byte = text.last, isNameByte(byte) { text.removeLast() }
        }
        guard let slash = length(of: slashes.reversed(), endingIn: text) else { return false }
        return length(of: opening, endingIn: text.dropLast(slash)) != nil
    }

    /// Returns the secret in an element, or `nil` if no element begins here that has one.
    private mutating func content(
        ofElementAt place: Int,
        in bytes: [UInt8]
    ) -> Range<Int>? {
        guard let bracket = Self.length(of: Self.opening, at: place, in: bytes) else { return nil }
        let name = bytes[(place + bracket)...].prefix { Self.isNameByte($0) }
        guard (1...Self.longestName).contains(name.count),
            let start = Self.endOfTag(from: name.endIndex, in: bytes)
        else { return nil }
        let local = name.split(separator: UInt8(ascii: ":")).last ?? name
        let text = String(decoding: local, as: UTF8.self)
        guard names.isSecret(text) else { return nil }
        let end = endTag(of: Array(name), from: start, in: bytes)
        let content = bytes[start..<(end ?? Self.endOfWord(from: start, in: bytes))]
        // Without an end, it may be the name of a thing in a sentence.
        let isSecret =
            end == nil
            ? UnknownSecrets.looksLikeToken(content, from: 6) : !content.isEmpty && !isMark(content)
        return isSecret ? start..<content.endIndex : nil
    }

    /// Whether a known secret was all of a content: its mark says more than another.
    private func isMark(_ content: ArraySlice<UInt8>) -> Bool {
        content.starts(with: "‹".utf8) && content.suffix(3).elementsEqual("›".utf8)
            && content.dropFirst(3).dropLast(3).allSatisfy { $0 < 0x80 }
    }

    private mutating func endTag(of name: [UInt8], from start: Int, in bytes: [UInt8]) -> Int? {
        guard !unended.contains(name) else { return nil }
        let end = (start..<bytes.count).first { place in
            guard let bracket = Self.length(of: Self.opening, at: place, in: bytes),
                let slash = Self.length(of: Self.slashes, at: place + bracket, in: bytes)
            else { return false }
            return bytes[(place + bracket + slash)...].starts(with: name)
        }
        if end == nil { unended.insert(name) }
        return end
    }

    /// Returns the place after a start tag, or `nil` if there is none, or it is the element's end, too.
    private static func endOfTag(from start: Int, in bytes: [UInt8]) -> Int? {
        for place in start..<min(bytes.count, start + longestAttributes) {
            if let bracket = length(of: closing, at: place, in: bytes) {
                let isEmpty = place > 0 && bytes[place - 1] == UInt8(ascii: "/")
                return isEmpty ? nil : place + bracket
            }
            guard length(of: opening, at: place, in: bytes) == nil else { return nil }
        }
        return nil
    }

    private static func endOfWord(from start: Int, in bytes: [UInt8]) -> Int {
        let end = bytes[start...].firstIndex { $0 <= 0x20 || "\"'\\<&".utf8.contains($0) }
        return end ?? bytes.count
    }

    private static func length(of forms: [[UInt8]], at place: Int, in bytes: [UInt8]) -> Int? {
        guard place < bytes.count else { return nil }
        return forms.first { bytes[place...].starts(with: $0) }?.count
    }

    private static func length(of forms: [[UInt8]], endingIn text: ArraySlice<UInt8>) -> Int? {
        forms.first { text.suffix($0.count).elementsEqual($0) }?.count
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || "_-.:".utf8.contains(byte)
    }
}
