/// A position in TOML text, and the parsing steps that every part of the grammar shares.
struct TOMLCursor {
    private(set) var line = 1
    private let bytes: [UInt8]
    private var index = 0
    /// The name of the file in errors and in items.
    let file: String

    init(_ text: String, file: String) {
        bytes = Array(text.utf8)
        self.file = file
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    }

    /// The byte at the position, or `nil` at the end.
    var current: UInt8? {
        index < bytes.count ? bytes[index] : nil
    }

    mutating func advance() {
        if current == UInt8(ascii: "\n") { line += 1 }
        index += 1
    }

    func isAt(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes[min(index, bytes.count)...].starts(with: $0) }
    }

    /// Skips the text, which contains no line break, if it is at the position.
    @discardableResult
    mutating func take(_ text: StaticString) -> Bool {
        guard isAt(text) else { return false }
        index += text.utf8CodeUnitCount
        return true
    }

    /// Skips all bytes that satisfy the condition, none of which may be a line break, and returns
    /// them.
    mutating func text(while condition: (UInt8) -> Bool) -> String {
        String(decoding: run(while: condition), as: UTF8.self)
    }

    /// The same, as bytes.
    mutating func run(while condition: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = index
        while index < bytes.count, condition(bytes[index]) { index += 1 }
        return bytes[start..<index]
    }

    mutating func skipSpaces() {
        while current == UInt8(ascii: " ") || current == UInt8(ascii: "\t") { index += 1 }
    }

    /// Skips a line break, with or without a carriage return before it.
    mutating func takeLineBreak() -> Bool {
        if isAt("\r\n") { index += 1 }
        guard current == UInt8(ascii: "\n") else { return false }
        advance()
        return true
    }

    /// Skips whitespace, comments and line breaks.
    mutating func skipBlank() throws(TOMLError) {
        repeat {
            skipSpaces()
            try skipRemark()
        } while takeLineBreak()
    }

    /// Skips to the next statement; returns `false` at the end of the file.
    mutating func skipToStatement() throws(TOMLError) -> Bool {
        try skipBlank()
        return current != nil
    }

    mutating func endOfLine() throws(TOMLError) {
        skipSpaces()
        try skipRemark()
        guard current == nil || takeLineBreak() else {
            throw unexpected("expected the end of the line")
        }
    }

    private mutating func skipRemark() throws(TOMLError) {
        guard current == UInt8(ascii: "#") else { return }
        while true {
            _ = run(while: Self.isPrintable)
            guard let byte = current, byte != UInt8(ascii: "\n"), !isAt("\r\n") else { return }
            try checkPrintable(byte)
        }
    }

    /// Fails for every control character but the tab, as none may be in a comment or a string.
    func checkPrintable(_ byte: UInt8) throws(TOMLError) {
        guard Self.isPrintable(byte) else { throw error(at: line, .controlCharacter) }
    }

    static func isPrintable(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != 0x7F || byte == UInt8(ascii: "\t")
    }

    /// Returns an error about the character at the position.
    func unexpected(_ expected: String) -> TOMLError {
        guard index < bytes.count else { return error(at: line, .endOfFile, expected) }
        let rest = String(decoding: bytes[index..<min(index + 8, bytes.count)], as: UTF8.self)
        guard let character = rest.first, !character.isNewline else {
            return error(at: line, .endOfLine, expected)
        }
        return error(at: line, .unexpected(character), expected)
    }

    func error(
        at line: Int,
        _ problem: TOMLError.Problem,
        _ expected: String? = nil
    ) -> TOMLError {
        TOMLError(file: file, line: line, problem: problem, expected: expected)
    }
}
