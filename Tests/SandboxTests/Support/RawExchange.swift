import NIOCore
import NIOPosix

extension RunningSandbox {
    /// Sends bytes as they are, ends our half, and collects everything that comes back.
    func exchange(raw text: String, inPieces: Bool = true) async throws -> String {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel,
                        configuration: .init(isOutboundHalfClosureEnabled: true)
                    )
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            for piece in inPieces ? text.map(String.init) : [text] {
                try await outbound.write(ByteBuffer(string: piece))
            }
            outbound.finish()
            var answer = ByteBuffer()
            for try await var part in inbound { answer.writeBuffer(&part) }
            return String(buffer: answer)
        }
    }
}
