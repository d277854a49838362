import Basics

/// The rule that determines the end of a body (RFC 9112 section 6.3).
enum BodyFraming: Sendable, Hashable {
    case length(Int)
    case chunked
    /// It ends with the connection, or with the stream of HTTP/2.
    case untilClose

    static let none = BodyFraming.length(0)

    /// Determines the framing of a request's body, which is certain or a violation.
    init(of request: RequestMessage) throws(MessageViolation) {
        self = try Self.stated(by: request.fields, minorVersion: request.minorVersion) ?? .none
    }

    /// Determines the framing of an answer's body.
    ///
    /// - Parameters:
    ///   - response: The answer, which is not an interim one.
    ///   - request: The request that it answers.
    /// - Throws: `MessageViolation`.
    init(
        of response: ResponseMessage,
        to request: RequestMessage
    ) throws(MessageViolation) {
        let hasBody =
            !request.isHead && response.status >= 200 && response.status != 204
            && response.status != 304
        guard hasBody else {
            self = .none
            return
        }
        self =
            try Self.stated(by: response.fields, minorVersion: response.minorVersion)
            ?? .untilClose
    }

    private static func stated(
        by fields: [HeadField],
        minorVersion: Int
    ) throws(MessageViolation) -> BodyFraming? {
        var coding: String?
        var length: Int?
        for field in fields {
            switch field.key {
            case "transfer-encoding":
                guard coding == nil, minorVersion == 1, field.value.asciiLowercased == "chunked"
                else { throw .transferCoding }
                coding = field.value
            case "content-length":
                guard length == nil, let number = Self.number(field.value) else {
                    throw .contentLength
                }
                length = number
            default: continue
            }
        }
        guard coding == nil || length == nil else { throw .contentLength }
        return coding != nil ? .chunked : length.map { .length($0) }
    }

    private static func number(_ text: String) -> Int? {
        guard (1...18).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int(text)
    }
}

/// Follows a body to its end, in bytes that arrive in pieces and are passed on as they are.
struct BodyScanner: Sendable {
    /// The limit for the line with a chunk's size, and for the trailer, in bytes.
    private static let maximumLine = 4 << 10
    private static let maximumTrailer = 64 << 10

    private enum State: Sendable {
        case rest(Int)
        case untilClose
        /// Digits of a chunk's size, and the length of its line so far.
        case size(Int, digits: Int, length: Int)
        /// The rest after the size: extensions.
        case sizeTail(Int, length: Int)
        case sizeEnd(Int)
        case chunk(Int)
        case chunkReturn
        case chunkEnd
        /// A line of the trailer; `length` is that of the line, `hasName` whether a colon came.
        case trailer(length: Int, hasName: Bool)
        case trailerEnd(length: Int)
        case complete
    }

    /// The bytes of the body so far, without its framing.
    private(set) var bytes = 0
    private var state: State
    private var trailerBytes = 0

    init(_ framing: BodyFraming) {
        switch framing {
        case .length(0): state = .complete
        case .length(let count): state = .rest(count)
        case .chunked: state = .size(0, digits: 0, length: 0)
        case .untilClose: state = .untilClose
        }
    }

    var isComplete: Bool {
        if case .complete = state { return true }
        return false
    }

    /// Whether the connection's end is the body's.
    var endsWithConnection: Bool {
        if case .untilClose = state { return true }
        return false
    }

    /// Ends a body that has no other end than this.
    mutating func end() {
        if case .untilClose = state { state = .complete }
    }

    /// Scans up to the body's end.
    ///
    /// - Parameters:
    ///   - input: The bytes that have arrived.
    ///   - payload: Gets the ranges that are the body itself.
    /// - Returns: The number of bytes that belong to the body and its framing.
    /// - Throws: `MessageViolation`.
    mutating func scan(
        _ input: Span<UInt8>,
        payload: (Range<Int>) -> Void
    ) throws(MessageViolation) -> Int {
        var index = 0
        while index < input.count {
            switch state {
            case .complete:
                return index
            case .untilClose:
                take(index..<input.count, payload)
                return input.count
            case .rest(let count):
                let end = index + min(count, input.count - index)
                take(index..<end, payload)
                state = count == end - index ? .complete : .rest(count - (end - index))
                index = end
            case .chunk(let count):
                let end = index + min(count, input.count - index)
                take(index..<end, payload)
                state = count == end - index ? .chunkReturn : .chunk(count - (end - index))
                index = end
            default:
                state = try next(after: state, input[index])
                index += 1
            }
        }
        return index
    }

    private mutating func take(_ range: Range<Int>, _ payload: (Range<Int>) -> Void) {
        bytes += range.count
        payload(range)
    }

    /// Reads one byte of the framing.
    private mutating func next(after state: State, _ byte: UInt8) throws(MessageViolation) -> State
    {
        switch state {
        case .size(let size, let digits, let length):
            if let digit = byte.hexDigitValue.map(Int.init) {
                guard digits < 15 else { throw .chunk }
                return .size(size << 4 | digit, digits: digits + 1, length: length + 1)
            }
            guard digits > 0 else { throw .chunk }
            if byte == .carriageReturn { return .sizeEnd(size) }
            guard byte == UInt8(ascii: ";") else { throw .chunk }
            return .sizeTail(size, length: length + 1)
        case .sizeTail(let size, let length):
            if byte == .carriageReturn { return .sizeEnd(size) }
            guard length < Self.maximumLine, Self.isPlain(byte) else { throw .chunk }
            return .sizeTail(size, length: length + 1)
        case .sizeEnd(let size):
            guard byte == .lineFeed else { throw .chunk }
            return size == 0 ? .trailer(length: 0, hasName: false) : .chunk(size)
        case .chunkReturn:
            guard byte == .carriageReturn else { throw .chunk }
            return .chunkEnd
        case .chunkEnd:
            guard byte == .lineFeed else { throw .chunk }
            return .size(0, digits: 0, length: 0)
        case .trailer(let length, let hasName):
            trailerBytes += 1
            guard trailerBytes <= Self.maximumTrailer else { throw .chunk }
            if byte == .carriageReturn {
                guard length == 0 || hasName else { throw .chunk }
                return .trailerEnd(length: length)
            }
            guard Self.isPlain(byte) || byte >= 0x80 else { throw .chunk }
            guard hasName || byte != .space && byte != .tab else { throw .chunk }
            let isColon = byte == UInt8(ascii: ":") && length > 0
            return .trailer(length: length + 1, hasName: hasName || isColon)
        case .trailerEnd(let length):
            guard byte == .lineFeed else { throw .chunk }
            return length == 0 ? .complete : .trailer(length: 0, hasName: false)
        case .rest, .untilClose, .chunk, .complete:
            return state
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte) || byte == .tab
    }
}
