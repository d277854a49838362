import Observation
import WebSockets

/// Reads along with one direction of a WebSocket, whose bytes are relayed in any case.
///
/// What is compressed (RFC 7692) is counted, without its payload.
struct SocketTap: Sendable {
    enum Sighting: Sendable {
        case message(SocketMessage)
        /// A close frame, with its code if it has one.
        case close(Int?)
    }

    /// A frame's length does not matter here, as nothing is kept beyond a limit.
    private static let maximumFrame = Int.max

    private struct Message: Sendable {
        var isText: Bool
        var isCompressed: Bool
        var payload: [UInt8] = []
        var bytes = 0
    }

    private let side: TrafficSide
    private var parser: FrameParser
    private var frame: FrameHeader?
    private var message: Message?
    private var control: [UInt8] = []
    /// Whether the bytes are no frames, so that the tap no longer knows where one begins.
    private var isLost = false

    init(from side: TrafficSide) {
        self.side = side
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
    mutating func read(_ bytes: Span<UInt8>, report: (Sighting) -> Void) {
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
        message.bytes += piece.count
        let room = message.isCompressed ? 0 : TrafficInput.bodyLimit - message.payload.count
        if room > 0 {
            let part = piece.extracting(first: room)
            Self.append(part, of: frame, at: position, to: &message.payload)
        }
        self.message = message
    }

    private mutating func finish(_ report: (Sighting) -> Void) {
        guard let frame else { return }
        switch frame.opcode {
        case .ping, .pong: break
        case .close:
            let code = control.count >= 2 ? Int(control[0]) << 8 | Int(control[1]) : nil
            report(.close(code))
        case .text, .binary, .continuation:
            guard frame.isFinal, let whole = message else { return }
            message = nil
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
