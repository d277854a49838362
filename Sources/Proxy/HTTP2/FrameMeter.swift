import NIOCore

/// Counts the frames of a peer that carry nothing of a request or an answer, and that NIO does not count:
/// WINDOW_UPDATE, GOAWAY, those of unknown types and of streams that are over, and what makes others long,
/// since one SETTINGS can change the windows of all streams thousands of times.
struct FrameMeter {
    /// The bytes of a frame's head (RFC 9113 section 4.1), and of a WINDOW_UPDATE.
    private static let headSize = 9
    private static let windowUpdateSize = 13
    /// The bytes with which a client begins (section 3.4).
    private static let prefaceSize = 24
    /// The bytes that count as one frame more.
    private static let unit = 16
    /// The frames that each request or answer may bring with it, such as for a larger window.
    private static let headCredit = 2

    /// The frames that a peer may send within the time.
    private let limit: Int
    private let time: TimeAmount
    private var count = 0
    private var since: NIODeadline?
    /// The bytes of DATA that were sent and not given back, for the windows of their streams and for that
    /// of the connection: a peer may give them back in as many parts as it likes.
    private var sent = 0
    /// The bytes that are to come before the next frame.
    private var skipped: Int
    /// The beginning of a frame whose rest has not come.
    private var partial = ByteBuffer()

    /// - Parameters:
    ///   - limit: The frames that a peer may send within the time.
    ///   - time: For as many of them.
    ///   - isOfClient: Whether the peer opens the connection.
    init(limit: Int, within time: TimeAmount, isOfClient: Bool) {
        self.limit = limit
        self.time = time
        skipped = isOfClient ? Self.prefaceSize : 0
    }

    /// Records that DATA was sent to the peer, with this many bytes.
    mutating func recordSent(_ count: Int) {
        sent += 2 * count
    }

    /// Reads the heads of the frames in what a peer has sent.
    ///
    /// - Returns: Whether they are no more than it may send.
    mutating func allows(_ arrived: ByteBuffer, at now: @autoclosure () -> NIODeadline) -> Bool {
        if since == nil { since = now() }
        var bytes = arrived
        if partial.readableBytes > 0 {
            partial.writeBuffer(&bytes)
            bytes = partial
            partial = ByteBuffer()
        }
        while bytes.readableBytes > 0 {
            if skipped > 0 {
                let step = min(skipped, bytes.readableBytes)
                bytes.moveReaderIndex(forwardBy: step)
                skipped -= step
                continue
            }
            guard let weight = weightOfNextFrame(in: &bytes) else {
                partial = ByteBuffer(bytes: bytes.readableBytesView)
                return true
            }
            count += weight
            guard count > limit else { continue }
            let instant = now()
            if let since, instant - since <= time { return false }
            since = instant
            count = weight
        }
        return true
    }

    /// Returns the number of frames as which the next one counts, or `nil` if it has not come.
    private mutating func weightOfNextFrame(in bytes: inout ByteBuffer) -> Int? {
        guard bytes.readableBytes >= Self.headSize,
            let head = bytes.getInteger(at: bytes.readerIndex, as: UInt32.self)
        else { return nil }
        let length = Int(head >> 8)
        skipped = Self.headSize + length
        switch HTTP2FrameType(rawValue: UInt8(truncatingIfNeeded: head)) {
        case .data, .resetStream, .continuation: return 0
        case .headers:
            count = max(count - Self.headCredit, 0)
            return 0
        case .priority, .settings, .ping, .alternativeService, .origin: return length / Self.unit
        case .windowUpdate where skipped == Self.windowUpdateSize:
            let place = bytes.readerIndex + Self.headSize
            guard let increment = bytes.getInteger(at: place, as: UInt32.self) else {
                skipped = 0
                return nil
            }
            guard increment <= sent else { return 1 }
            sent -= Int(increment)
            return 0
        case .windowUpdate, nil: return 1 + length / Self.unit
        }
    }
}

/// The types of frames that are told apart (RFC 9113 section 6, RFC 7838 section 4, RFC 8336).
enum HTTP2FrameType: UInt8 {
    case data = 0
    case headers = 1
    case priority = 2
    case resetStream = 3
    case settings = 4
    case ping = 6
    case windowUpdate = 8
    case continuation = 9
    case alternativeService = 10
    case origin = 12
}
