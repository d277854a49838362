/// Splits a byte stream into frames, however it is fragmented.
///
/// Payloads are delivered as they arrive and never buffered, so that an error within a long frame
/// is detected before its end. Every rule that concerns a single frame is checked here, at the
/// first byte that violates it.
package struct FrameParser: Sendable {
    package enum Piece: Equatable {
        case header(FrameHeader)
        /// The range in the input, still masked, and its offset within the frame's payload.
        case payload(Range<Int>, position: Int)
        case end
    }

    /// The first two bytes: all but the extended length and the key.
    private struct Start {
        var isFinal: Bool
        var reserved: UInt8
        var opcode: Opcode
    }

    private enum State {
        case first
        case second(Start)
        case length(Start, missing: Int, width: Int, value: UInt64)
        case mask(Start, length: Int, missing: Int, value: UInt32)
        case payload(FrameHeader, taken: Int)
    }

    private let expectsMask: Bool
    private let maximumFrame: Int
    private let reservedBits: ReservedBits
    private var state = State.first

    /// - Parameters:
    ///   - expectsMask: Whether the frames come from a client.
    ///   - maximumFrame: The limit for a frame's payload, in bytes.
    ///   - reservedBits: The reserved bits to which an extension may have given a meaning.
    package init(
        expectsMask: Bool,
        maximumFrame: Int,
        reservedBits: ReservedBits = .none
    ) {
        self.expectsMask = expectsMask
        self.maximumFrame = maximumFrame
        self.reservedBits = reservedBits
    }

    /// Whether the next byte is the first of a frame.
    package var isBetweenFrames: Bool {
        switch state {
        case .first: true
        // The end of a frame without more to come is noticed with the next byte.
        case .payload(let header, let taken): taken >= header.length
        case .second, .length, .mask: false
        }
    }

    /// Parses up to the end of the next part.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that have arrived.
    ///   - offset: The index to read from, which is moved past what was read.
    /// - Returns: The part, or `nil` if all bytes have been read.
    /// - Throws: `WebSocketFailure` at the first byte that violates a rule.
    package mutating func next(
        in bytes: Span<UInt8>,
        from offset: inout Int
    ) throws(WebSocketFailure) -> Piece? {
        if case .payload(let header, let taken) = state {
            return payload(of: header, taken: taken, in: bytes, from: &offset)
        }
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            if let header = try read(byte) {
                state = .payload(header, taken: 0)
                return .header(header)
            }
        }
        return nil
    }

    private mutating func payload(
        of header: FrameHeader,
        taken: Int,
        in bytes: Span<UInt8>,
        from offset: inout Int
    ) -> Piece? {
        guard taken < header.length else {
            state = .first
            return .end
        }
        let count = min(header.length - taken, bytes.count - offset)
        guard count > 0 else { return nil }
        let range = offset..<(offset + count)
        offset += count
        state = .payload(header, taken: taken + count)
        return .payload(range, position: taken)
    }

    /// Reads one byte of a header; returns the header if the byte completes it.
    private mutating func read(_ byte: UInt8) throws(WebSocketFailure) -> FrameHeader? {
        switch state {
        case .first:
            state = .second(try start(byte))
            return nil
        case .second(let start):
            return try second(byte, after: start)
        case .length(let start, let missing, let width, let sofar):
            let value = sofar << 8 | UInt64(byte)
            guard missing == 1 else {
                state = .length(start, missing: missing - 1, width: width, value: value)
                return nil
            }
            return try sized(start, length: try length(value, width: width))
        case .mask(let start, let length, let missing, let sofar):
            let value = sofar << 8 | UInt32(byte)
            guard missing == 1 else {
                state = .mask(start, length: length, missing: missing - 1, value: value)
                return nil
            }
            return header(start, length: length, mask: MaskingKey(value))
        case .payload:
            return nil
        }
    }

    private func start(_ byte: UInt8) throws(WebSocketFailure) -> Start {
        let reserved = byte >> 4 & 0x7
        guard let opcode = Opcode(rawValue: byte & 0x0F) else {
            throw .protocolError("unknown opcode \(byte & 0x0F)")
        }
        guard reserved == 0 || reservedBits.allow(reserved, on: opcode) else {
            throw .protocolError("reserved bits are set")
        }
        let isFinal = byte & 0x80 != 0
        guard isFinal || !opcode.isControl else { throw .protocolError("fragmented control frame") }
        return Start(isFinal: isFinal, reserved: reserved, opcode: opcode)
    }

    private mutating func second(
        _ byte: UInt8,
        after start: Start
    ) throws(WebSocketFailure) -> FrameHeader? {
        guard (byte & 0x80 != 0) == expectsMask else {
            throw .protocolError(expectsMask ? "frame is not masked" : "frame is masked")
        }
        let length = Int(byte & 0x7F)
        guard length <= 125 || !start.opcode.isControl else {
            throw .protocolError("control frame of more than 125 bytes")
        }
        switch length {
        case 126: state = .length(start, missing: 2, width: 2, value: 0)
        case 127: state = .length(start, missing: 8, width: 8, value: 0)
        default: return try sized(start, length: length)
        }
        return nil
    }

    /// Returns an extended length, which must be in its shortest form (RFC 6455 section 5.2).
    private func length(_ value: UInt64, width: Int) throws(WebSocketFailure) -> Int {
        guard let length = Int(exactly: value) else {
            throw .protocolError("length with its highest bit set")
        }
        guard length > (width == 2 ? 125 : 0xFFFF) else {
            throw .protocolError("length not in its shortest form")
        }
        return length
    }

    private mutating func sized(
        _ start: Start,
        length: Int
    ) throws(WebSocketFailure) -> FrameHeader? {
        guard start.opcode.isControl || length <= maximumFrame else {
            throw .tooBig("frame of more than \(maximumFrame) bytes")
        }
        guard expectsMask else { return header(start, length: length, mask: nil) }
        state = .mask(start, length: length, missing: 4, value: 0)
        return nil
    }

    private func header(_ start: Start, length: Int, mask: MaskingKey?) -> FrameHeader {
        FrameHeader(
            isFinal: start.isFinal,
            reserved: start.reserved,
            opcode: start.opcode,
            length: length,
            mask: mask
        )
    }
}

/// The reserved bits that a frame may have.
package enum ReservedBits: Sendable, Hashable {
    case none
    /// RSV1 on the first frame of a message, which is then compressed (RFC 7692 section 6).
    case compression
    case any

    func allow(_ bits: UInt8, on opcode: Opcode) -> Bool {
        switch self {
        case .none: false
        case .compression: bits == 0b100 && (opcode == .text || opcode == .binary)
        case .any: true
        }
    }
}
