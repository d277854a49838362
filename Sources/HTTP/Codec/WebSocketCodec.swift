/// Decodes a peer's bytes into messages, and enforces the rules of RFC 6455.
///
/// After it has thrown, it cannot be used any more, since its position in the stream is lost.
package struct WebSocketCodec {
    private let maximumMessage: Int
    /// `nil` without compression.
    private let inflater: Inflater?
    private var parser: FrameParser
    /// The frame whose payload is being read.
    private var frame: FrameHeader?
    private var message: PartialMessage?
    private var control: [UInt8] = []

    /// Creates a codec for the frames of a peer.
    ///
    /// - Parameters:
    ///   - expectsMask: Whether the peer is a client.
    ///   - limits: The limits beyond which the connection is failed with 1009.
    ///   - compression: The compression that was agreed on, or `nil` for none.
    package init(
        expectsMask: Bool,
        limits: WebSocketLimits,
        compression: AgreedCompression? = nil
    ) {
        let context = compression.map { CompressionContext($0, isServer: expectsMask) }
        self.init(expectsMask: expectsMask, limits: limits, inflater: context?.inflater)
    }

    init(expectsMask: Bool, limits: WebSocketLimits, inflater: Inflater?) {
        maximumMessage = limits.maximumMessage
        self.inflater = inflater
        // Content that cannot be compressed becomes a little longer.
        let growth = inflater == nil ? 0 : limits.maximumFrame / 256 + 64
        parser = FrameParser(
            expectsMask: expectsMask,
            maximumFrame: limits.maximumFrame + growth,
            reservedBits: inflater == nil ? .none : .compression
        )
    }

    /// Decodes up to the end of the next complete element.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that have arrived, fragmented in any way.
    ///   - offset: The index to read from, which is moved past what was read.
    /// - Returns: The element, or `nil` if all bytes have been read.
    /// - Throws: `WebSocketFailure` at the first byte that violates a rule.
    package mutating func next(
        in bytes: Span<UInt8>,
        from offset: inout Int
    ) throws(WebSocketFailure) -> WebSocketIncoming? {
        while let piece = try parser.next(in: bytes, from: &offset) {
            switch piece {
            case .header(let header):
                try begin(header)
            case .payload(let range, let position):
                try take(bytes.extracting(range), position: position)
            case .end:
                if let incoming = try finish() { return incoming }
            }
        }
        return nil
    }

    private mutating func begin(_ header: FrameHeader) throws(WebSocketFailure) {
        frame = header
        switch header.opcode {
        case .text, .binary:
            guard message == nil else { throw .protocolError("message begun inside another") }
            message = PartialMessage(
                isText: header.opcode == .text,
                isCompressed: header.reserved != 0
            )
        case .continuation:
            guard message != nil else { throw .protocolError("continuation without a message") }
        case .close, .ping, .pong:
            control = []
            return
        }
        guard message?.isCompressed != true else { return }
        guard header.length <= maximumMessage - (message?.bytes.count ?? 0) else {
            throw .tooBig("message of more than \(maximumMessage) bytes")
        }
    }

    private mutating func take(
        _ piece: Span<UInt8>,
        position: Int
    ) throws(WebSocketFailure) {
        guard let frame else { return }
        guard frame.opcode.isControl else {
            guard let inflater, message?.isCompressed == true else {
                try message?.append(piece, mask: frame.mask, position: position)
                return
            }
            var compressed = piece.withUnsafeBufferPointer { Array($0) }
            frame.mask?.apply(to: &compressed, from: 0, position: position)
            try inflater.inflate(compressed) { (content) throws(WebSocketFailure) in
                try take(content: content)
            }
            return
        }
        let start = control.count
        piece.withUnsafeBufferPointer { control.append(contentsOf: $0) }
        frame.mask?.apply(to: &control, from: start, position: position)
    }

    /// Takes what was decompressed, which may be a thousand times as much as was sent.
    private mutating func take(content: Span<UInt8>) throws(WebSocketFailure) {
        let room = maximumMessage - (message?.bytes.count ?? 0)
        try message?.append(content.extracting(first: room))
        guard content.count <= room else {
            throw .tooBig("message of more than \(maximumMessage) bytes")
        }
    }

    private mutating func finish() throws(WebSocketFailure) -> WebSocketIncoming? {
        guard let frame else { return nil }
        switch frame.opcode {
        case .ping: return .ping(control)
        case .pong: return .pong(control)
        case .close: return .close(try CloseFrame(payload: control))
        case .text, .binary, .continuation:
            guard frame.isFinal else { return nil }
            if let inflater, message?.isCompressed == true {
                try inflater.finishMessage { (content) throws(WebSocketFailure) in
                    try take(content: content)
                }
            }
            guard let whole = message else { return nil }
            message = nil
            return try whole.finished()
        }
    }
}

/// A complete message or control frame of a peer.
package enum WebSocketIncoming: Sendable, Equatable {
    case text(String)
    case binary([UInt8])
    case ping([UInt8])
    case pong([UInt8])
    case close(CloseFrame)
}

/// The reason why a connection must be failed: the close code to send, and the rule that was
/// violated.
package struct WebSocketFailure: Error, Sendable, Equatable {
    package var code: UInt16
    var reason: String

    /// The peer violated the framing rules.
    static func protocolError(_ reason: String) -> WebSocketFailure {
        WebSocketFailure(code: 1002, reason: reason)
    }

    /// A text, or a close reason, is not UTF-8.
    static func invalidText(_ reason: String) -> WebSocketFailure {
        WebSocketFailure(code: 1007, reason: reason)
    }

    /// The peer exceeded our limits.
    package static func tooBig(_ reason: String) -> WebSocketFailure {
        WebSocketFailure(code: 1009, reason: reason)
    }
}
