@testable import HTTP

/// A peer's frames in the codec and the machine of either side.
///
/// The input is a `FrameInput`.
enum FrameTarget: FuzzTarget {
    static let name = "frames"

    static func read(_ bytes: [UInt8]) {
        let input = FrameInput(bytes)
        let actions = input.actions(inPiecesOf: max(1, input.stream.count))
        require(actions == input.actions(inPiecesOf: input.pieceSize), "cuts make no difference")
        var isOver = false
        var delivered = 0
        for action in actions {
            require(!isOver, "nothing comes behind the end")
            switch action {
            case .deliver(let event): delivered += size(of: event, limits: input.limits)
            case .pong(let payload): require(payload.count <= 125, "a pong is small")
            case .settle: break
            case .sendClose(let frame): check(frame)
            case .finish: isOver = true
            case .drop: require(false, "only time drops a transport")
            }
        }
        let most = input.compression == nil ? input.stream.count : input.stream.count * 200
        require(delivered <= most, "no more is delivered than has come")
        require(actions.count { $0.isClose } <= 1, "one close frame")
    }

    private static func size(of event: WebSocketEvent, limits: WebSocketLimits) -> Int {
        switch event {
        case .text(let text):
            require(text.utf8.count <= limits.maximumMessage, "a message within the limit")
            return text.utf8.count
        case .binary(let bytes):
            require(bytes.count <= limits.maximumMessage, "a message within the limit")
            return bytes.count
        case .ping(let payload), .pong(let payload):
            require(payload.count <= 125, "a control frame of at most 125 bytes")
            return payload.count
        case .closed:
            require(false, "the end is not delivered")
            return 0
        }
    }

    private static func check(_ frame: CloseFrame) {
        require(frame.payload.count <= 125, "a close frame of at most 125 bytes")
        let isSendable = CloseFrame.mayBeSent(frame.code) || frame.payload.isEmpty
        require(isSendable, "\(frame.code) may not be sent")
    }
}

extension WebSocketMachine.Action {
    fileprivate var isClose: Bool {
        if case .sendClose = self { return true }
        return false
    }
}
