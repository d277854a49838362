/// One side of a connection, without IO: takes the bytes that arrive, and returns the actions to
/// perform.
package struct WebSocketMachine {
    package enum Action: Sendable, Equatable {
        /// An event other than `.closed`, for which there is `finish`.
        case deliver(WebSocketEvent)
        case pong([UInt8])
        /// Calls `settled()` once the reader has handled what was delivered, or `timedOut()`.
        case settle
        /// Sends our last frame; the time limit of the closing handshake starts now.
        case sendClose(CloseFrame)
        /// Delivers nothing more; the peer has until the time limit to end the transport.
        case finish(WebSocketCloseReport)
        /// Ends the transport now.
        case drop
    }

    enum Phase: Sendable, Equatable {
        case open
        /// The peer has broken a rule; our close frame waits for the answers to what came before.
        case failing(WebSocketFailure)
        /// Our close frame was sent, the peer's has not arrived.
        case closing
        /// The end has been reported.
        case finished
    }

    private(set) var phase = Phase.open
    private var codec: WebSocketCodec

    init(
        expectsMask: Bool,
        limits: WebSocketLimits,
        compression: AgreedCompression? = nil
    ) {
        codec = WebSocketCodec(
            expectsMask: expectsMask,
            limits: limits,
            compression: compression
        )
    }

    init(expectsMask: Bool, limits: WebSocketLimits, inflater: Inflater?) {
        codec = WebSocketCodec(expectsMask: expectsMask, limits: limits, inflater: inflater)
    }

    /// Returns the actions for the next complete element in `bytes`, or `nil` if all bytes have
    /// been read.
    ///
    /// Whatever follows the peer's close frame, or its violation, is ignored.
    mutating func next(
        in bytes: Span<UInt8>,
        from offset: inout Int
    ) -> [Action]? {
        switch phase {
        case .open, .closing: break
        case .failing, .finished:
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

    /// Starts the closing handshake; events before the peer's close frame are still delivered.
    mutating func close(_ frame: CloseFrame) -> [Action] {
        switch phase {
        case .open:
            phase = .closing
            return [.sendClose(frame)]
        case .failing:
            return settled()
        case .closing, .finished:
            return []
        }
    }

    /// Fails the connection, after the reader has handled what came before the violation.
    mutating func settled() -> [Action] {
        guard case .failing(let failure) = phase else { return [] }
        return [
            .sendClose(CloseFrame(code: failure.code, reason: failure.reason)),
            finish(.failed(failure)),
        ]
    }

    /// Handles the end of the time limit.
    mutating func timedOut() -> [Action] {
        switch phase {
        case .open: return []
        case .failing: return settled()
        case .closing: return [finish(.abnormal("no close frame in time", by: .us)), .drop]
        case .finished: return [.drop]
        }
    }

    /// Handles the end of the transport, after everything it delivered was read.
    mutating func transportEnded(
        _ reason: String,
        by initiator: WebSocketCloseReport.Initiator
    ) -> [Action] {
        switch phase {
        case .open: return [finish(.abnormal(reason, by: initiator))]
        case .failing: return settled()
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
        guard phase == .open else { return [finish(.failed(failure))] }
        phase = .failing(failure)
        return [.settle]
    }

    private mutating func finish(_ report: WebSocketCloseReport) -> Action {
        phase = .finished
        return .finish(report)
    }
}

extension WebSocketMachine.Phase {
    /// Whether messages may be sent.
    var canSend: Bool {
        switch self {
        case .open, .failing: true
        case .closing, .finished: false
        }
    }
}

extension WebSocketCloseReport {
    /// Returns the report of a connection that is failed for what the peer sent.
    fileprivate static func failed(_ failure: WebSocketFailure) -> Self {
        Self(code: failure.code, reason: failure.reason, initiator: .us, clean: false)
    }

    /// Returns the report of a transport that ended without a close frame from the peer.
    fileprivate static func abnormal(_ reason: String, by initiator: Initiator) -> Self {
        Self(code: CloseFrame.abnormal, reason: reason, initiator: initiator, clean: false)
    }
}

/// Keeps pongs from accumulating if a peer sends pings and does not read.
///
/// While many pongs are unsent, only the latest ping is remembered, as RFC 6455 section 5.5.3
/// allows.
struct PongWindow: Sendable {
    private let limit: Int
    private var unsent = 0
    private var latest: [UInt8]?

    init(limit: Int = 64) {
        self.limit = limit
    }

    /// Records a ping; returns the pong to send now, or `nil` if none.
    mutating func received(_ payload: [UInt8]) -> [UInt8]? {
        guard unsent < limit else {
            latest = payload
            return nil
        }
        unsent += 1
        return payload
    }

    /// Records that a pong was sent; returns the next one to send, or `nil` if none.
    mutating func sent() -> [UInt8]? {
        unsent -= 1
        guard let waiting = latest else { return nil }
        latest = nil
        unsent += 1
        return waiting
    }
}
