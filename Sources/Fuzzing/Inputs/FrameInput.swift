import WebSockets

/// Bytes of a peer, and how they come: two bytes say it, the others are the stream.
struct FrameInput {
    let isServer: Bool
    /// Whether only few events may wait to be read.
    let isCramped: Bool
    /// Bytes that come at once.
    let pieceSize: Int
    let stream: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        let flags = bytes.first ?? 0
        isServer = flags & 1 != 0
        isCramped = flags & 2 != 0
        pieceSize = 1 + Int(bytes.dropFirst().first ?? 0)
        stream = bytes.dropFirst(2)
    }

    /// Small, so that they are reached.
    var limits: WebSocketLimits {
        WebSocketLimits(
            maximumMessage: 200,
            maximumFrame: 150,
            queuedEvents: isCramped ? 4 : 1 << 20,
            queuedBytes: 1 << 30
        )
    }

    func pieces(of size: Int) -> [[UInt8]] {
        stride(from: stream.startIndex, to: stream.endIndex, by: size).map { start in
            Array(stream[start..<min(start + size, stream.endIndex)])
        }
    }

    /// What a machine wants done when the stream comes in pieces.
    func actions(inPiecesOf size: Int) -> [WebSocketMachine.Action] {
        var machine = WebSocketMachine(expectsMask: isServer, limits: limits)
        var actions: [WebSocketMachine.Action] = []
        for piece in pieces(of: size) {
            var offset = 0
            while let next = machine.next(in: piece.span, from: &offset) {
                actions += next
                require(offset <= piece.count, "only what has come is read")
            }
            require(offset == piece.count, "all that has come is read")
        }
        return actions
    }
}
