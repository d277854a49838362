import NIOCore
import NIOEmbedded

@testable import HTTP

/// A peer's bytes on a connection over a channel without a network.
///
/// The input is a `FrameInput`. The connection's output is decoded as its peer would.
enum ChannelTarget: FuzzTarget {
    static let name = "channel"

    /// The number of pings at once up to which every one is answered.
    private static let answeredPings = 64

    static func read(_ bytes: [UInt8]) {
        let input = FrameInput(bytes)
        let channel = EmbeddedChannel()
        do {
            try receive(input, on: channel)
        } catch {
            require(false, "no error comes out of the pipeline: \(error)")
        }
    }

    private static func receive(_ input: FrameInput, on channel: EmbeddedChannel) throws {
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        let connection = try WebSocketConnection(
            on: channel,
            role: input.isServer ? .server : .client(maskKeys: { 0x0BAD_CAFE }),
            limits: input.limits,
            compression: input.compression
        )
        for piece in input.pieces(of: input.pieceSize) {
            try channel.writeInbound(ByteBuffer(bytes: piece))
        }
        // Nothing is read, so that the close frame that follows a violation comes at its limit.
        channel.embeddedEventLoop.advanceTime(by: TimeAmount(input.limits.closeTimeout))
        let sent = try spoken(on: channel, by: input)
        let wanted = input.actions(inPiecesOf: input.pieceSize).compactMap(\.spoken)
        if input.isCramped {
            require(wanted.starts(with: sent), "what is sent was asked for, in order")
        } else if wanted.count <= answeredPings {
            require(sent == wanted, "every ping is answered, and the close frame")
        }
        channel.embeddedEventLoop.advanceTime(by: TimeAmount(input.limits.closeTimeout))
        if sent.contains(where: \.isClose) {
            require(!channel.isActive, "the transport ends in time")
        }
        connection.drop()
        channel.embeddedEventLoop.run()
        require(!channel.isActive, "a dropped connection is gone")
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    /// Returns what the peer decodes of the output.
    private static func spoken(
        on channel: EmbeddedChannel,
        by input: FrameInput
    ) throws -> [WebSocketIncoming] {
        var codec = WebSocketCodec(expectsMask: !input.isServer, limits: WebSocketLimits())
        var spoken: [WebSocketIncoming] = []
        while let buffer = try channel.readOutbound(as: ByteBuffer.self) {
            let bytes = Array(buffer.readableBytesView)
            var offset = 0
            while let next = try codec.next(in: bytes.span, from: &offset) { spoken.append(next) }
        }
        return spoken
    }
}

extension WebSocketMachine.Action {
    fileprivate var spoken: WebSocketIncoming? {
        switch self {
        case .pong(let payload): .pong(payload)
        case .sendClose(let frame): .close(frame)
        case .deliver, .settle, .finish, .drop: nil
        }
    }
}

extension WebSocketIncoming {
    fileprivate var isClose: Bool {
        if case .close = self { return true }
        return false
    }
}
