import Basics

/// Finds the end of a head in bytes that arrive in pieces.
struct HeadScanner: Sendable {
    /// The limit for a head, in bytes.
    static let maximum = 64 << 10

    /// The number of bytes that have been looked at.
    private var position = 0
    private var lineStart = 0
    /// Whether a line that is not empty has come; empty ones before it are allowed (RFC 9112
    /// section 2.2).
    private var hasLine = false

    /// Whether any byte of a head has come.
    var hasBegun: Bool { position > 0 }

    /// Looks for the end of the head.
    ///
    /// - Parameter bytes: All bytes since the head's first one.
    /// - Returns: The length of the head with its empty line, or `nil` if it is not complete.
    /// - Throws: `MessageViolation`, also if the head cannot become short enough.
    mutating func end(in bytes: Span<UInt8>) throws(MessageViolation) -> Int? {
        let count = min(bytes.count, Self.maximum)
        while position < count {
            let byte = bytes[position]
            position += 1
            guard byte == 0x0A else { continue }
            let length = position - lineStart
            guard length >= 2, bytes[position - 2] == 0x0D else { throw .lineEnd }
            lineStart = position
            if length > 2 {
                hasLine = true
            } else if hasLine {
                return position
            }
        }
        guard position < Self.maximum else { throw .headTooLong }
        return nil
    }
}

/// Parses a complete head, strictly.
struct HeadParser: Sendable {
    /// Where the next line begins.
    private var position = 0

    /// Parses the head of a request.
    ///
    /// - Parameter bytes: The head with its empty line.
    /// - Returns: The head.
    /// - Throws: `MessageViolation`.
    static func request(_ bytes: Span<UInt8>) throws(MessageViolation) -> RequestMessage {
        var parser = HeadParser()
        let line = try parser.firstLine(in: bytes)
        guard let method = bytes.prefix(of: line, before: .space),
            let target = bytes.prefix(
                of: (method.upperBound + 1)..<line.upperBound,
                before: .space
            ),
            bytes.isToken(method), bytes.isTarget(target),
            let methodText = bytes.text(method), let targetText = bytes.text(target)
        else { throw .firstLine }
        let version = (target.upperBound + 1)..<line.upperBound
        return RequestMessage(
            method: methodText,
            target: targetText,
            minorVersion: try minorVersion(version, in: bytes),
            fields: try parser.fields(in: bytes)
        )
    }

    /// Parses the head of an answer.
    ///
    /// - Parameter bytes: The head with its empty line.
    /// - Returns: The head.
    /// - Throws: `MessageViolation`.
    static func response(_ bytes: Span<UInt8>) throws(MessageViolation) -> ResponseMessage {
        var parser = HeadParser()
        let line = try parser.firstLine(in: bytes)
        guard line.count >= 12 else { throw .firstLine }
        let version = line.lowerBound..<(line.lowerBound + 8)
        let minorVersion = try minorVersion(version, in: bytes)
        let code = (version.upperBound + 1)..<(version.upperBound + 4)
        let digits = code.map { Int(bytes[$0]) - 0x30 }
        guard bytes[version.upperBound] == .space, digits.allSatisfy((0...9).contains),
            digits[0] > 0, line.count == 12 || bytes[code.upperBound] == .space
        else { throw .firstLine }
        let reason = min(code.upperBound + 1, line.upperBound)..<line.upperBound
        guard bytes.isFieldValue(reason) else { throw .firstLine }
        return ResponseMessage(
            minorVersion: minorVersion,
            status: digits.reduce(0) { $0 * 10 + $1 },
            reason: WireText(bytes.extracting(reason)),
            fields: try parser.fields(in: bytes)
        )
    }

    private static func minorVersion(
        _ range: Range<Int>,
        in bytes: Span<UInt8>
    ) throws(MessageViolation) -> Int {
        guard let text = bytes.text(range), text.begins(with: "HTTP/") else { throw .firstLine }
        switch text {
        case "HTTP/1.0": return 0
        case "HTTP/1.1": return 1
        default: throw .version
        }
    }

    private mutating func firstLine(
        in bytes: Span<UInt8>
    ) throws(MessageViolation) -> Range<Int> {
        while true {
            let line = try nextLine(in: bytes)
            if !line.isEmpty { return line }
        }
    }

    private mutating func fields(in bytes: Span<UInt8>) throws(MessageViolation) -> [HeadField] {
        var fields: [HeadField] = []
        fields.reserveCapacity(16)
        while true {
            let line = try nextLine(in: bytes)
            guard !line.isEmpty else { return fields }
            guard let name = bytes.prefix(of: line, before: UInt8(ascii: ":")),
                bytes.isToken(name), let text = bytes.text(name)
            else { throw .field }
            let value = bytes.trimming((name.upperBound + 1)..<line.upperBound)
            guard bytes.isFieldValue(value) else { throw .field }
            fields.append(HeadField(text, WireText(bytes.extracting(value))))
        }
    }

    /// Returns the next line without its CR LF.
    private mutating func nextLine(in bytes: Span<UInt8>) throws(MessageViolation) -> Range<Int> {
        let start = position
        while position < bytes.count, bytes[position] != .lineFeed { position += 1 }
        guard position < bytes.count, position > start, bytes[position - 1] == .carriageReturn
        else { throw .lineEnd }
        position += 1
        return start..<(position - 2)
    }
}

extension UInt8 {
    static let space = UInt8(ascii: " ")
    static let tab = UInt8(ascii: "\t")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
}

extension Span<UInt8> {
    /// Returns the part of a range before the first occurrence of a byte, or `nil` if there is none.
    fileprivate func prefix(of range: Range<Int>, before byte: UInt8) -> Range<Int>? {
        range.first { self[$0] == byte }.map { range.lowerBound..<$0 }
    }

    fileprivate func isToken(_ range: Range<Int>) -> Bool {
        !range.isEmpty && range.allSatisfy { self[$0].isTokenByte }
    }

    fileprivate func isTarget(_ range: Range<Int>) -> Bool {
        !range.isEmpty && range.allSatisfy { self[$0] > .space && self[$0] != 0x7F }
    }

    /// Returns whether the bytes may be a field's value; other control characters than these are
    /// harmless (RFC 9110 section 5.5).
    fileprivate func isFieldValue(_ range: Range<Int>) -> Bool {
        range.allSatisfy { self[$0] != 0 && self[$0] != .carriageReturn && self[$0] != .lineFeed }
    }

    fileprivate func trimming(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, self[start] == .space || self[start] == .tab { start += 1 }
        while start < end, self[end - 1] == .space || self[end - 1] == .tab { end -= 1 }
        return start..<end
    }

    fileprivate func text(_ range: Range<Int>) -> String? {
        String(validating: extracting(range))
    }
}
