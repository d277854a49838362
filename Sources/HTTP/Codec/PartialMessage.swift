/// An incomplete message, whose text is validated as it arrives.
struct PartialMessage: Sendable {
    /// Whether its frames carry it compressed.
    let isCompressed: Bool
    private(set) var bytes: [UInt8] = []
    /// The validator, or `nil` for a binary message.
    private var text: UTF8Validator?

    init(isText: Bool, isCompressed: Bool) {
        self.isCompressed = isCompressed
        text = isText ? UTF8Validator() : nil
    }

    /// Appends a piece of the content.
    ///
    /// - Parameters:
    ///   - piece: The piece.
    ///   - mask: The key of its frame if it is masked.
    ///   - position: Its offset within the frame's payload.
    /// - Throws: `WebSocketFailure` at the first byte that cannot be part of the text.
    mutating func append(
        _ piece: Span<UInt8>,
        mask: MaskingKey? = nil,
        position: Int = 0
    ) throws(WebSocketFailure) {
        let start = bytes.count
        piece.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        mask?.apply(to: &bytes, from: start, position: position)
        guard var text else { return }
        let isValid = text.accepts(bytes.span.extracting(start...))
        self.text = text
        guard isValid else { throw .invalidText("text is not UTF-8") }
    }

    func finished() throws(WebSocketFailure) -> WebSocketIncoming {
        guard let text else { return .binary(bytes) }
        guard text.isComplete else { throw .invalidText("text ends inside a character") }
        return .text(String(decoding: bytes, as: UTF8.self))
    }
}

/// Determines, piece by piece, whether a byte stream can still become valid UTF-8.
///
/// A sequence is rejected at its first impossible byte, not at its last (Unicode, table 3-7:
/// overlong forms, surrogates and values above U+10FFFF are rejected at the second byte).
struct UTF8Validator: Sendable {
    private var missing = 0
    private var following: ClosedRange<UInt8> = 0x80...0xBF

    init() {}

    /// Whether no sequence is incomplete.
    var isComplete: Bool { missing == 0 }

    /// Reads the next bytes.
    ///
    /// - Parameter bytes: The next piece of the text.
    /// - Returns: `false` if no continuation can make the text valid.
    mutating func accepts(_ bytes: Span<UInt8>) -> Bool {
        var index = 0
        while index < bytes.count {
            if missing == 0 {
                index = Self.skipASCII(bytes, from: index)
                guard index < bytes.count else { return true }
            }
            guard accepts(bytes[index]) else { return false }
            index += 1
        }
        return true
    }

    private mutating func accepts(_ byte: UInt8) -> Bool {
        guard missing == 0 else {
            guard following.contains(byte) else { return false }
            missing -= 1
            following = 0x80...0xBF
            return true
        }
        switch byte {
        case 0x00...0x7F: break
        case 0xC2...0xDF: missing = 1
        case 0xE0: expect(2, first: 0xA0...0xBF)
        case 0xE1...0xEC, 0xEE...0xEF: missing = 2
        case 0xED: expect(2, first: 0x80...0x9F)
        case 0xF0: expect(3, first: 0x90...0xBF)
        case 0xF1...0xF3: missing = 3
        case 0xF4: expect(3, first: 0x80...0x8F)
        default: return false
        }
        return true
    }

    private mutating func expect(_ count: Int, first: ClosedRange<UInt8>) {
        missing = count
        following = first
    }

    /// Returns the index of the first byte outside ASCII, or a slightly lower one.
    private static func skipASCII(_ bytes: Span<UInt8>, from start: Int) -> Int {
        let raw = bytes.bytes
        var index = start
        while index + 8 <= raw.byteCount {
            let word = raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            guard word & 0x8080_8080_8080_8080 == 0 else { break }
            index += 8
        }
        return index
    }
}
