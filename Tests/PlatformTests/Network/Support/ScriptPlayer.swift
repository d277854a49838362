import NIOCore
import NIOPosix
import NIOSSL

/// Plays a script on one connection.
final class ScriptPlayer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var steps: ArraySlice<ScriptedServer.Step>
    private let log: ServerLog
    private var isPlaying = false
    private var unread = ""

    init(_ script: [ScriptedServer.Step], log: ServerLog) {
        steps = script[...]
        self.log = log
    }

    func channelActive(context: ChannelHandlerContext) {
        play(context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let text = String(buffer: unwrapInboundIn(data))
        if unread.isEmpty { log.began(text) }
        unread += text
        if !isPlaying { play(context) }
    }

    /// The reaction of a client that is gone to our writes does not matter.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func play(_ context: ChannelHandlerContext) {
        isPlaying = false
        switch steps.first {
        case .readRequest?:
            guard let request = takeRequest() else { return }
            log.read(request)
            steps.removeFirst()
            play(context)
        case .readAnything?:
            guard !unread.isEmpty else { return }
            unread = ""
            steps.removeFirst()
            play(context)
        case .send(let text)?:
            write(ByteBuffer(string: text), context)
        case .sendRaw(let bytes)?:
            write(ByteBuffer(bytes: bytes), context)
        case .sendBytes(let count)?:
            write(ByteBuffer(repeating: 0x78, count: count), context)
        case .reset?:
            reset(context)
        case .hold?:
            break
        case nil:
            context.close(promise: nil)
        }
    }

    private func write(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        steps.removeFirst()
        isPlaying = true
        context.writeAndFlush(wrapOutboundOut(bytes)).assumeIsolated().whenSuccess { [self] in
            play(context)
        }
    }

    /// Closes below TLS, which would say goodbye.
    private func reset(_ context: ChannelHandlerContext) {
        steps = [.hold]
        let options = context.channel as? any SocketOptionProvider
        options?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).assumeIsolated().whenComplete { _ in
            let operations = context.pipeline.syncOperations
            let tls = try? operations.context(handlerType: NIOSSLServerHandler.self)
            (tls ?? context).close(mode: .all, promise: nil)
        }
    }

    private func takeRequest() -> String? {
        guard let end = unread.firstRange(of: "\r\n\r\n") else { return nil }
        let length = unread[..<end.lowerBound].lowercased()
            .split(separator: "\r\n")
            .first { $0.hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst(15).drop { $0 == " " }) }
        let body = unread[end.upperBound...].utf8
        guard body.count >= length ?? 0 else { return nil }
        let request = String(unread[..<body.index(body.startIndex, offsetBy: length ?? 0)])
        unread.removeFirst(request.count)
        return request
    }
}
