@testable import HTTP

/// A peer's bytes and how they arrive: two bytes of settings, followed by the stream.
struct FrameInput {
    let isServer: Bool
    /// Whether only few events may be unread.
    let isCramped: Bool
    /// The agreement of the upgrade.
    let compression: AgreedCompression?
    /// The number of bytes that arrive at once.
    let pieceSize: Int
    let stream: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        let flags = bytes.first ?? 0
        isServer = flags & 1 != 0
        isCramped = flags & 2 != 0
        var agreed = AgreedCompression()
        agreed.clientNoContextTakeover = flags & 8 != 0
        agreed.serverNoContextTakeover = flags & 8 != 0
        compression = flags & 4 != 0 ? agreed : nil
        pieceSize = 1 + Int(bytes.dropFirst().first ?? 0)
        stream = bytes.dropFirst(2)
    }

    /// The limits, small enough to be reached.
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

    /// Returns the machine's actions if the stream arrives in pieces.
    func actions(inPiecesOf size: Int) -> [WebSocketMachine.Action] {
        var machine = WebSocketMachine(
            expectsMask: isServer,
            limits: limits,
            compression: compression
        )
        var actions: [WebSocketMachine.Action] = []
        for piece in pieces(of: size) {
            var offset = 0
            while let next = machine.next(in: piece.span, from: &offset) {
                actions += next
                if next.contains(.settle) { actions += machine.settled() }
                require(offset <= piece.count, "only what has come is read")
            }
            require(offset == piece.count, "all that has come is read")
        }
        return actions
    }
}
