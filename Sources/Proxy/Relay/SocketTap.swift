import HTTP
import Observer

/// Reads along with one direction of a WebSocket, whose bytes are relayed in any case.
///
/// Compressed messages (RFC 7692) are decompressed here, and relayed as they came. One that cannot
/// be decompressed, or becomes too long, is counted without its payload.
struct SocketTap {
    enum Event: Sendable {
        case message(SocketMessage)
        /// A close frame, with its code if it has one, and its text.
        case close(Int?, reason: String)
    }

    /// A frame's length does not matter here, as nothing is kept beyond a limit.
    private static let maximumFrame = Int.max

    private struct Message {
        var isText: Bool
        var isCompressed: Bool
        var payload: [UInt8] = []
        var bytes = 0
        /// Those of the frames, of a compressed message.
        var sent = 0

        mutating func keep(_ piece: Span<UInt8>, of frame: FrameHeader, at position: Int) {
            let room = TrafficInput.bodyLimit - payload.count
            guard room > 0 else { return }
            SocketTap.append(piece.extracting(first: room), of: frame, at: position, to: &payload)
        }

        /// Keeps a piece of what was decompressed.
        mutating func take(_ content: Span<UInt8>, limit: Int) throws(WebSocketFailure) {
            bytes += content.count
            guard bytes <= limit else { throw .tooBig("more than \(limit) bytes") }
            let room = TrafficInput.bodyLimit - payload.count
            guard room > 0 else { return }
            content.extracting(first: room)
                .withUnsafeBufferPointer { payload.append(contentsOf: $0) }
        }
    }

    /// The compression of messages by one side.
    private struct Compression {
        /// Whether each message is compressed by itself.
        var resetsContext: Bool
        var windowBits: Int
    }

    /// The most bytes that a compressed message may become.
    private static let maximumContent = 1 << 20

    private let side: TrafficSide
    private var parser: FrameParser
    private var frame: FrameHeader?
    private var message: Message?
    private var control: [UInt8] = []
    /// The compression of messages, or `nil` if compressed messages cannot be read.
    private var compression: Compression?
    /// Exists only while it is needed, as its memory is that of many messages.
    private var inflater: Inflater?
    /// Whether the bytes are no frames, so that the tap no longer knows where one begins.
    private var isLost = false

    /// - Parameters:
    ///   - side: The sender of the bytes.
    ///   - compression: The terms that the two sides have agreed on.
    init(from side: TrafficSide, compression: AgreedCompression? = nil) {
        self.side = side
        self.compression = compression.map { agreed in
            side == .app
                ? Compression(
                    resetsContext: agreed.clientNoContextTakeover,
                    windowBits: agreed.clientMaxWindowBits
                )
                : Compression(
                    resetsContext: agreed.serverNoContextTakeover,
                    windowBits: agreed.serverMaxWindowBits
                )
        }
        parser = FrameParser(
            expectsMask: side == .app,
            maximumFrame: Self.maximumFrame,
            reservedBits: .any
        )
    }

    /// Whether a frame may be put in before the next byte.
    var isBetweenFrames: Bool { isLost || parser.isBetweenFrames }

    /// Reads the next bytes.
    ///
    /// - Parameters:
    ///   - bytes: As they are relayed.
    ///   - report: Gets what they complete.
    mutating func read(_ bytes: Span<UInt8>, report: (Event) -> Void) {
        guard !isLost else { return }
        var offset = 0
        do {
            while let piece = try parser.next(in: bytes, from: &offset) {
                switch piece {
                case .header(let header): begin(header)
                case .payload(let range, let position):
                    take(bytes.extracting(range), position: position)
                case .end: finish(report)
                }
            }
        } catch {
            isLost = true
            message = nil
        }
    }

    private mutating func begin(_ header: FrameHeader) {
        frame = header
        switch header.opcode {
        case .text, .binary:
            message = Message(
                isText: header.opcode == .text,
                isCompressed: header.reserved & 0b100 != 0
            )
        case .continuation: break
        case .close, .ping, .pong: control = []
        }
    }

    private mutating func take(_ piece: Span<UInt8>, position: Int) {
        guard let frame else { return }
        if frame.opcode.isControl {
            Self.append(piece, of: frame, at: position, to: &control)
            return
        }
        guard var message = message.take() else { return }
        if message.isCompressed {
            var bytes: [UInt8] = []
            Self.append(piece, of: frame, at: position, to: &bytes)
            inflate(bytes, of: &message)
        } else {
            message.bytes += piece.count
            message.keep(piece, of: frame, at: position)
        }
        self.message = message
    }

    // MARK: - Compressed messages

    /// Decompresses a piece of a message.
    private mutating func inflate(_ bytes: [UInt8], of message: inout Message) {
        message.sent += bytes.count
        if inflater == nil, let compression {
            inflater = Inflater(
                .messages(
                    resetsContext: compression.resetsContext,
                    windowBits: compression.windowBits
                )
            )
        }
        guard let inflater else {
            message.bytes = message.sent
            return
        }
        do {
            try inflater.inflate(bytes) { (content) throws(WebSocketFailure) in
                try message.take(content, limit: Self.maximumContent)
            }
        } catch {
            giveUp(&message)
        }
    }

    private mutating func finishContent(of message: inout Message) {
        guard message.isCompressed, let inflater else { return }
        do {
            try inflater.finishMessage { (content) throws(WebSocketFailure) in
                try message.take(content, limit: Self.maximumContent)
            }
        } catch {
            giveUp(&message)
        }
        if compression?.resetsContext == true { self.inflater = nil }
    }

    /// Reads no more of a message; and of none that refers to it.
    private mutating func giveUp(_ message: inout Message) {
        message.payload = []
        message.bytes = message.sent
        inflater = nil
        compression = nil
    }

    private mutating func finish(_ report: (Event) -> Void) {
        guard let frame else { return }
        switch frame.opcode {
        case .ping, .pong: break
        case .close:
            let code = control.count >= 2 ? Int(control[0]) << 8 | Int(control[1]) : nil
            report(.close(code, reason: String(decoding: control.dropFirst(2), as: UTF8.self)))
        case .text, .binary, .continuation:
            guard frame.isFinal, var whole = message.take() else { return }
            finishContent(of: &whole)
            report(
                .message(
                    SocketMessage(
                        from: side,
                        isText: whole.isText,
                        payload: whole.payload,
                        bytes: whole.bytes
                    )
                )
            )
        }
    }

    private static func append(
        _ piece: Span<UInt8>,
        of frame: FrameHeader,
        at position: Int,
        to bytes: inout [UInt8]
    ) {
        let start = bytes.count
        piece.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        frame.mask?.apply(to: &bytes, from: start, position: position)
    }
}
