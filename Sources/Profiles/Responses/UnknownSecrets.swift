import Basics

/// Hides known secrets, and text that looks like a secret: what stands under such names, in JSON, in
/// forms and in plain text, and long words of mixed letters and digits.
package struct UnknownSecrets {
    let known: KnownSecrets
    let names: SecretNames

    /// Returns the beginning of a text, on one line.
    func hiding(in text: String, limit: Int) -> (text: String, isCut: Bool) {
        hiding(in: Array(text.utf8.prefix(limit * 4 + 1)), limit: limit)
    }

    /// Returns the beginning of a text, on one line, and whether there was more.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - limit: The longest beginning, in characters.
    ///   - isOfAnyKind: Whether the text may be that of any message. If it is not JSON, no name may
    ///     say what is a secret in it, so that shorter words are hidden.
    ///   - mayBeSecret: Whether a text of one word may be a secret, and no refusal.
    /// - Returns: The beginning, and whether there was more.
    func hiding(
        in bytes: [UInt8],
        limit: Int,
        ofAnyKind isOfAnyKind: Bool = false,
        mayBeSecret: Bool = false
    ) -> (text: String, isCut: Bool) {
        guard limit > 0 else { return ("", !bytes.isEmpty) }
        // The part that may become part of the line; a secret that this cuts is recognized as cut.
        let isLong = bytes.count > limit * 4
        let start = String(decoding: bytes.prefix(limit * 4), as: UTF8.self)
        let length = isLong ? min(limit, max(0, start.count - 1)) : limit
        var shown = Array(known.hiding(in: start, limit: length).utf8)
        let isStrict = isOfAnyKind && !Self.isObject(bytes)
        // No text has more characters than bytes.
        let isCut = isLong || start.utf8.count > length && start.count > length
        if !isStrict, Self.isShortWord(shown) {
            return (String(decoding: shown, as: UTF8.self).inOneLine(limit: limit), isCut)
        }
        if isStrict, mayBeSecret, Self.isOneWord(shown) { shown = Array(KnownSecrets.hidden.utf8) }
        shown = Self.hidingNamed(in: shown, by: names)
        let safe = Self.withoutRuns(in: shown, from: isStrict ? Self.shortest : Self.longest)
        let line = safe.inOneLine(limit: limit * 4).parts(at: " ").joined(separator: " ")
        return (line.inOneLine(limit: limit), isCut)
    }

    /// Whether a text is a word that is too short to look like a token and in which nothing stands under
    /// a name, as most fields of a response are.
    private static func isShortWord(_ bytes: [UInt8]) -> Bool {
        bytes.count < longest
            && bytes.allSatisfy { isTokenCharacter($0) && !AssignedValues.mayFollow($0) }
    }

    /// Returns a whole text with marks in place of what stands under names of secrets.
    package static func hidingNamed(in text: String, by names: SecretNames) -> String {
        String(decoding: hidingNamed(in: Array(text.utf8), by: names), as: UTF8.self)
    }

    private static func hidingNamed(in bytes: [UInt8], by names: SecretNames) -> [UInt8] {
        // Each is looked for only where something can stand under a name: most fields of a response
        // are a word.
        var bytes = bytes
        if bytes.contains(UInt8(ascii: "\"")) {
            var values = NamedValues(bytes, by: names)
            bytes = values.hidden()
        }
        if bytes.contains(where: ElementValues.mayBegin) {
            var elements = ElementValues(names: names)
            bytes = elements.hidden(in: bytes)
        }
        return bytes.contains(where: AssignedValues.mayFollow)
            ? AssignedValues(names: names).hidden(in: bytes) : bytes
    }

    /// The size of the shortest word that is hidden for its looks alone, in bytes.
    static let longest = 20
    /// The same in a text in which no name can be relied on.
    private static let shortest = 6

    private static func isObject(_ bytes: [UInt8]) -> Bool {
        switch JSONValue(parsing: bytes) {
        case .object, .array: true
        default: false
        }
    }

    /// Whether a text is one word, which may be the answer itself.
    private static func isOneWord(_ bytes: [UInt8]) -> Bool {
        let word = bytes.filter { $0 > 0x20 && $0 != UInt8(ascii: "\"") }
        return (shortest...).contains(word.count) && !word.starts(with: "‹".utf8)
            && word.allSatisfy(isTokenCharacter)
            && !bytes.drop { $0 <= 0x20 }.reversed().drop { $0 <= 0x20 }.contains { $0 <= 0x20 }
    }

    /// Returns the text with a mark in place of each word that mixes letters and digits, or small and
    /// capital letters, as tokens do.
    private static func withoutRuns(in bytes: [UInt8], from length: Int) -> String {
        var result: [UInt8] = []
        var place = 0
        while place < bytes.count {
            let end = bytes[place...].firstIndex { !isTokenCharacter($0) } ?? bytes.count
            let run = bytes[place..<end]
            // The digits of a fingerprint are no secret.
            let isMark = bytes[..<place].suffix(3).elementsEqual("‹".utf8)
            if !isMark, looksLikeToken(run, from: length) {
                result += Array(KnownSecrets.hidden.utf8)
            } else {
                result += run
            }
            if end < bytes.count { result.append(bytes[end]) }
            place = end + 1
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns whether a word of a text looks like a token.
    ///
    /// - Parameters:
    ///   - run: The word.
    ///   - length: The size of the shortest token, in bytes.
    /// - Returns: Whether it mixes letters and digits, or small and capital letters, or is long.
    package static func looksLikeToken(
        _ run: ArraySlice<UInt8>,
        from length: Int = longest
    ) -> Bool {
        guard run.count >= length else { return false }
        let digits = run.count(where: \.isDigit)
        let capitals = run.count { (0x41...0x5A).contains($0) }
        let letters = run.count { (0x61...0x7A).contains($0) } + capitals
        guard letters > 0 else { return false }
        let isMixed = capitals * 4 > run.count && capitals * 4 < run.count * 3
        return digits >= min(3, length / 6) || isMixed
            || run.count >= 40 && !run.contains(UInt8(ascii: "/"))
    }

    static func isTokenCharacter(_ byte: UInt8) -> Bool {
        PercentEncoding.isUnreserved(byte) || byte == 0x2B || byte == 0x2F || byte == 0x3D
    }
}

/// The values of JSON, or of the beginning of it, under names of secrets: texts, what is nested in
/// objects and arrays, and the numbers of codes.
struct NamedValues {
    private let bytes: [UInt8]
    private let names: SecretNames
    private var result: [UInt8] = []
    private var place = 0
    /// The secrecy of the values of each open object or array.
    private var holders: [Secrecy] = []
    /// The secrecy of the value after the last name, or `nil` if no name stands before it.
    private var named: Secrecy?

    /// Whether the next value is the name of its object's `value`: `{"name":"X-Api-Key","value":…}`.
    private var isPairName = false
    /// The secrecy of such a value, or `nil` if its name is no secret's.
    private var paired: Secrecy?

    private enum Secrecy {
        case none
        /// A name holds tokens: its numbers count or measure them.
        case texts
        /// A code may be a number.
        case everything
    }

    init(_ bytes: [UInt8], by names: SecretNames) {
        self.bytes = bytes
        self.names = names
    }

    /// Returns the text with marks in place of the secrets.
    mutating func hidden() -> [UInt8] {
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "\""): readString()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                if holders.count < 64 { holders.append(secrecy) }
                named = nil
                paired = nil
                copy()
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                _ = holders.popLast()
                named = nil
                paired = nil
                copy()
            case UInt8(ascii: ","):
                named = nil
                copy()
            case 0...0x20, UInt8(ascii: ":"): copy()
            default: readWord()
            }
        }
        return result
    }

    /// The secrecy of the value at the place.
    private var secrecy: Secrecy { named ?? holders.last ?? .none }

    private mutating func copy() {
        result.append(bytes[place])
        place += 1
    }

    private mutating func readString() {
        let end = Self.endOfString(in: bytes, from: place + 1)
        let content = bytes[(place + 1)..<end]
        let next = min(bytes.count, end + 1)
        let isName = bytes[next...].first { $0 > 0x20 } == UInt8(ascii: ":")
        if isName {
            named = content.elementsEqual("value".utf8) ? paired : nil
            named = named ?? secrecy(ofName: content)
        }
        // A fingerprint stands there already.
        let isHidden =
            !content.isEmpty && !content.starts(with: "‹".utf8)
            && (isName ? holders.last ?? .none != .none && !Self.isWord(content) : secrecy != .none)
        result += isHidden ? Array("\"\(KnownSecrets.hidden)".utf8) : Array(bytes[place..<end])
        if !isName, isPairName {
            let secrecy = secrecy(ofName: content)
            if secrecy != .none { paired = secrecy }
        }
        isPairName = isName && names.labels.contains { content.elementsEqual($0.utf8) }
        if end < bytes.count { result.append(bytes[end]) }
        place = next
    }

    /// Reads a number, or what is no JSON.
    private mutating func readWord() {
        let end = bytes[place...].firstIndex { $0 <= 0x20 || ",:{}[]\"".utf8.contains($0) }
        let word = bytes[place..<(end ?? bytes.count)]
        if secrecy == .everything, word.count(where: \.isDigit) > 3 {
            result += Array("\"\(KnownSecrets.hidden)\"".utf8)
        } else {
            result += word
        }
        place = word.endIndex
    }

    private func secrecy(ofName bytes: ArraySlice<UInt8>) -> Secrecy {
        let text = String(decoding: bytes, as: UTF8.self)
        // A name may be escaped.
        let isEscaped = bytes.contains(UInt8(ascii: "\\"))
        let name =
            isEscaped ? JSONValue(parsing: Array("\"\(text)\"".utf8))?.stringValue ?? text : text
        if names.isCode(name) { return .everything }
        if names.isSecret(name) { return .texts }
        return names.isFact(name) ? .none : holders.last ?? .none
    }

    private static func endOfString(in bytes: [UInt8], from start: Int) -> Int {
        var place = start
        while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
            place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(place, bytes.count)
    }

    /// Whether a name is one, and no token that keys an object.
    private static func isWord(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count < 20 && bytes.allSatisfy { $0.isLetter || "_-. ".utf8.contains($0) }
    }
}

/// The values that names of secrets are given in forms, addresses and plain text: `token=…`,
/// `token: …`, `<token>…</token>`, `Bearer …`, also within the strings of JSON.
struct AssignedValues {
    let names: SecretNames

    /// Whether a byte may stand between a name and its value, or behind the user of a URL.
    static func mayFollow(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20, UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: ">"),
            UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"), UInt8(ascii: "@"):
            true
        default: false
        }
    }

    /// Returns the text with marks in place of the secrets.
    func hidden(in bytes: [UInt8]) -> [UInt8] {
        let bytes = Self.withoutUsers(in: bytes)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var place = 0
        while place < bytes.count {
            let end = bytes[place...].firstIndex { !Self.isNameByte($0) } ?? bytes.count
            let name = bytes[place..<end]
            result += name
            place = end
            guard place < bytes.count else { break }
            if let value = value(of: name, in: bytes, at: place) {
                result += bytes[place..<value.lowerBound]
                result += Array(KnownSecrets.hidden.utf8)
                place = value.upperBound
            } else {
                result.append(bytes[place])
                place += 1
            }
        }
        return result
    }

    /// Returns the text with a mark in place of each name and password in a URL (RFC 3986 section
    /// 3.2.1).
    private static func withoutUsers(in bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(UInt8(ascii: "@")) else { return bytes }
        // A slash may be escaped.
        let marks = ["//", "/\\/"].map { Array($0.utf8) }
        var result: [UInt8] = []
        var place = 0
        while place < bytes.count {
            let end = bytes[place...].firstIndex { "/?#\"'\\<> ".utf8.contains($0) || $0 < 0x20 }
            let part = bytes[place..<(end ?? bytes.count)]
            if let at = part.lastIndex(of: UInt8(ascii: "@")),
                marks.contains(where: { result.suffix($0.count).elementsEqual($0) })
            {
                result += Array(KnownSecrets.hidden.utf8) + part[at...]
            } else {
                result += part
            }
            if let end { result.append(bytes[end]) }
            place = part.endIndex + 1
        }
        return result
    }

    /// Returns the range of the secret that follows a name, or `nil` if none does.
    private func value(
        of name: ArraySlice<UInt8>,
        in bytes: [UInt8],
        at end: Int
    ) -> Range<Int>? {
        guard (2...64).contains(name.count) else { return nil }
        var place = end
        func skip(_ isSkipped: (UInt8) -> Bool) -> Int {
            let start = place
            while place < bytes.count, isSkipped(bytes[place]) { place += 1 }
            return place - start
        }
        _ = skip { "\"'\\".utf8.contains($0) }
        let blanks = skip { $0 == 0x20 || $0 == 0x09 }
        guard place < bytes.count else { return nil }
        let mark = bytes[place]
        let isElement = mark == UInt8(ascii: ">")
        let isAssigned = "=:".utf8.contains(mark) || isElement
        guard isAssigned || blanks > 0 else { return nil }
        if isAssigned { place += 1 }
        let isProse = skip { $0 == 0x20 || $0 == 0x09 } > 0 || !isAssigned
        let quotes = skip { "\"'\\".utf8.contains($0) }
        if isProse { _ = skip { $0 == UInt8(ascii: "(") } }
        let start = place
        let ends = Array((quotes > 0 ? "\"'\\" : "\"'\\ &;,<>(){}[]").utf8)
        _ = skip { $0 >= 0x20 && !ends.contains($0) }
        let value = bytes[start..<place]
        guard !value.isEmpty, !value.starts(with: "‹".utf8) else { return nil }
        // Most words with something behind them are no names of secrets.
        let text = String(decoding: name, as: UTF8.self)
        let isScheme = names.isScheme(text)
        let isParameter = name.startIndex > 0 && "?&#".utf8.contains(bytes[name.startIndex - 1])
        let isSecret =
            isScheme || names.isSecret(text) || isParameter && text.plainName == "code"
        guard isSecret, !ElementValues.isEndTag(after: bytes[..<name.startIndex]) else {
            return nil
        }
        // The members of JSON count and measure tokens, too.
        let isMember = mark == UInt8(ascii: ":") && quotes == 0
        if isMember, !names.isCode(text) {
            let word = String(decoding: value, as: UTF8.self)
            if Double(word) != nil || ["true", "false", "null"].contains(word) { return nil }
        }
        // In a sentence, what follows is most often a word.
        if isProse || isElement && place < bytes.count && bytes[place] != UInt8(ascii: "<") {
            let isNamed = isAssigned || isScheme
            let looksSecret =
                UnknownSecrets.looksLikeToken(value, from: 6)
                && (isNamed || value.allSatisfy(Self.isNameByte))
            guard isNamed && quotes > 0 || looksSecret else { return nil }
        }
        return start..<place
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }
}
