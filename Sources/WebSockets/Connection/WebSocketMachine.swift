/// One side of a connection, without IO: what arrives goes in, what is to be done comes out.
package struct WebSocketMachine: Sendable {
    package enum Action: Sendable, Equatable {
        /// Never `.closed`: that is `finish`.
        case deliver(WebSocketEvent)
        case pong([UInt8])
        /// The last frame of ours; the time limit of the closing handshake starts now.
        case sendClose(CloseFrame)
        /// Nothing more is delivered; the peer has until the time limit to end the transport.
        case finish(WebSocketCloseReport)
        /// End the transport now.
        case drop
    }

    package enum Phase: Sendable, Equatable {
        case open
        /// Our close frame is out, the peer's is not in.
        case closing
        /// The end has been reported.
        case finished
    }

    package private(set) var phase = Phase.open
    private var codec: WebSocketCodec

    package init(expectsMask: Bool, limits: WebSocketLimits) {
        codec = WebSocketCodec(expectsMask: expectsMask, limits: limits)
    }

    /// What the next complete thing in `bytes` asks for, or nil when the bytes are used up.
    ///
    /// What follows the peer's close frame, or its mistake, is passed over.
    package mutating func next(
        in bytes: Span<UInt8>,
        from offset: inout Int
    ) -> [Action]? {
        guard phase != .finished else {
            offset = bytes.count
            return nil
        }
        do throws(WebSocketFailure) {
            guard let incoming = try codec.next(in: bytes, from: &offset) else { return nil }
            return receive(incoming)
        } catch {
            return fail(error)
        }
    }

    /// We want to end it; what comes before the peer's close frame is still delivered.
    package mutating func close(_ frame: CloseFrame) -> [Action] {
        switch phase {
        case .open:
            phase = .closing
            return [.sendClose(frame)]
        case .closing, .finished:
            return []
        }
    }

    /// The time limit is over.
    package mutating func timedOut() -> [Action] {
        switch phase {
        case .open: return []
        case .closing: return [finish(.abnormal("no close frame in time", by: .us)), .drop]
        case .finished: return [.drop]
        }
    }

    /// The transport has ended, and everything it brought has been read.
    package mutating func transportEnded(
        _ reason: String,
        by initiator: WebSocketCloseReport.Initiator
    ) -> [Action] {
        switch phase {
        case .open: return [finish(.abnormal(reason, by: initiator))]
        case .closing: return [finish(.abnormal(reason, by: .us))]
        case .finished: return []
        }
    }

    private mutating func receive(_ incoming: WebSocketIncoming) -> [Action] {
        switch incoming {
        case .text(let text):
            return [.deliver(.text(text))]
        case .binary(let bytes):
            return [.deliver(.binary(bytes))]
        case .ping(let payload):
            return phase == .open ? [.pong(payload), .deliver(.ping(payload))] : []
        case .pong(let payload):
            return [.deliver(.pong(payload))]
        case .close(let frame):
            return peerClosed(frame)
        }
    }

    private mutating func peerClosed(_ frame: CloseFrame) -> [Action] {
        let isFirst = phase == .open
        let end = finish(
            WebSocketCloseReport(
                code: frame.code,
                reason: frame.reason,
                initiator: isFirst ? .peer : .us,
                clean: true
            )
        )
        return isFirst ? [.sendClose(CloseFrame(code: frame.code, reason: "")), end] : [end]
    }

    private mutating func fail(_ failure: WebSocketFailure) -> [Action] {
        let isFirst = phase == .open
        let end = finish(
            WebSocketCloseReport(
                code: failure.code,
                reason: failure.reason,
                initiator: .us,
                clean: false
            )
        )
        let frame = CloseFrame(code: failure.code, reason: failure.reason)
        return isFirst ? [.sendClose(frame), end] : [end]
    }

    private mutating func finish(_ report: WebSocketCloseReport) -> Action {
        phase = .finished
        return .finish(report)
    }
}

extension WebSocketCloseReport {
    /// The transport ended without a close frame from the peer.
    fileprivate static func abnormal(_ reason: String, by initiator: Initiator) -> Self {
        Self(code: CloseFrame.abnormal, reason: reason, initiator: initiator, clean: false)
    }
}

/// Keeps pongs from piling up before a peer that sends pings and does not read.
///
/// With many unsent pongs only the latest ping is remembered, as RFC 6455 section 5.5.3 allows.
struct PongWindow: Sendable {
    private let limit: Int
    private var unsent = 0
    private var latest: [UInt8]?

    init(limit: Int = 64) {
        self.limit = limit
    }

    /// A ping has come: what to answer now, if anything.
    mutating func received(_ payload: [UInt8]) -> [UInt8]? {
        guard unsent < limit else {
            latest = payload
            return nil
        }
        unsent += 1
        return payload
    }

    /// A pong is out: what to answer next, if anything waits.
    mutating func sent() -> [UInt8]? {
        unsent -= 1
        guard let waiting = latest else { return nil }
        latest = nil
        unsent += 1
        return waiting
    }
}
