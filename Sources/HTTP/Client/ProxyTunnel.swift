import NIOCore
import NIOExtras
import NIOHTTP1

/// A tunnel through an HTTP proxy on a connection to it.
struct ProxyTunnel: Sendable {
    let proxy: WebSocketProxy
    /// The server at its end.
    let host: String
    let port: Int

    /// Requests the tunnel; what is read and written afterwards is between us and the server.
    ///
    /// - Parameter channel: A connection that is active and has no handlers, on its event loop.
    /// - Returns: The end of the request; fails with `WebSocketDialError`.
    func open(on channel: any Channel) -> EventLoopFuture<Void> {
        let opened = channel.eventLoop.makePromise(of: Void.self)
        var headers = HTTPHeaders([("Host", authority)])
        if let authorization = proxy.authorization {
            headers.add(name: "Proxy-Authorization", value: authorization)
        }
        let encoder = HTTPRequestEncoder()
        let decoder = ByteToMessageHandler(
            HTTPResponseDecoder(leftOverBytesStrategy: .forwardBytes)
        )
        let status = StatusNote()
        let operations = channel.pipeline.syncOperations
        do {
            try operations.addHandlers(
                encoder,
                decoder,
                status,
                NIOHTTP1ProxyConnectHandler(
                    targetHost: host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host,
                    targetPort: port,
                    headers: headers,
                    // The dial has a limit, which ends the connection.
                    deadline: .distantFuture,
                    promise: opened
                )
            )
        } catch {
            opened.fail(error)
        }
        return opened.futureResult.assumeIsolated()
            .flatMapErrorThrowing { _ in
                throw status.error ?? WebSocketDialError.disconnected(.ended)
            }
            .flatMap {
                operations.removeHandler(status)
                    .and(operations.removeHandler(decoder))
                    .and(operations.removeHandler(encoder))
                    .map { _ in }
            }
            .nonisolated()
    }

    private var authority: String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

/// Notes what the proxy answered, or why it did not, which NIO's handler does not report.
private final class StatusNote: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart

    private(set) var error: WebSocketDialError?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data), !(200..<300).contains(head.status.code) {
            error = head.status == .proxyAuthenticationRequired ? .proxyCredentials : .proxyRefused
        }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case HTTPParserError.invalidEOFState: self.error = .disconnected(.ended)
        case is HTTPParserError, is NIOHTTPDecoderError: self.error = .proxyNotHTTP
        default: self.error = .disconnected(TransportFailure(error))
        }
        context.close(promise: nil)
    }
}
