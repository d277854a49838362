/// Reads what a peer says out of the bytes it sends: frames into messages, with every rule of
/// RFC 6455 on the way.
///
/// Once it has thrown it is of no more use: the place in the stream is lost.
package struct WebSocketCodec: Sendable {
    private let maximumMessage: Int
    private var parser: FrameParser
    /// The frame whose payload is being read.
    private var frame: FrameHeader?
    private var message: PartialMessage?
    private var control: [UInt8] = []

    /// Reads the frames of a peer.
    ///
    /// - Parameters:
    ///   - expectsMask: True where the peer is a client.
    ///   - limits: Beyond these the connection is failed with 1009.
    package init(expectsMask: Bool, limits: WebSocketLimits) {
        maximumMessage = limits.maximumMessage
        parser = FrameParser(expectsMask: expectsMask, maximumFrame: limits.maximumFrame)
    }

    /// Reads on, up to the end of the next complete thing.
    ///
    /// - Parameters:
    ///   - bytes: What has arrived; where it is cut makes no difference.
    ///   - offset: Where to read on; moved past what was read.
    /// - Returns: Nil when the bytes are used up.
    /// - Throws: At the first byte that breaks a rule.
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
            guard message == nil else { throw .protocolError("message inside a message") }
            message = PartialMessage(isText: header.opcode == .text)
        case .continuation:
            guard message != nil else { throw .protocolError("continuation of no message") }
        case .close, .ping, .pong:
            control = []
            return
        }
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
            try message?.append(piece, mask: frame.mask, position: position)
            return
        }
        let start = control.count
        piece.withUnsafeBufferPointer { control.append(contentsOf: $0) }
        frame.mask?.apply(to: &control, from: start, position: position)
    }

    private mutating func finish() throws(WebSocketFailure) -> WebSocketIncoming? {
        guard let frame else { return nil }
        switch frame.opcode {
        case .ping: return .ping(control)
        case .pong: return .pong(control)
        case .close: return .close(try CloseFrame(payload: control))
        case .text, .binary, .continuation:
            guard frame.isFinal, let whole = message else { return nil }
            message = nil
            return try whole.finished()
        }
    }
}

/// One complete thing a peer said.
package enum WebSocketIncoming: Sendable, Equatable {
    case text(String)
    case binary([UInt8])
    case ping([UInt8])
    case pong([UInt8])
    case close(CloseFrame)
}

/// Why a connection has to be failed: the close code to say so with, and the rule broken.
package struct WebSocketFailure: Error, Sendable, Equatable {
    package var code: UInt16
    package var reason: String

    /// The peer broke the framing rules.
    static func protocolError(_ reason: String) -> WebSocketFailure {
        WebSocketFailure(code: 1002, reason: reason)
    }

    /// Text, or a close reason, that is not UTF-8.
    static func invalidText(_ reason: String) -> WebSocketFailure {
        WebSocketFailure(code: 1007, reason: reason)
    }

    /// More than our limits allow.
    static func tooBig(_ reason: String) -> WebSocketFailure {
        WebSocketFailure(code: 1009, reason: reason)
    }
}
