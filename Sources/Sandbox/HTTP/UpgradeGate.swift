import Basics
import NIOCore
import NIOHTTP1
import Profiles

/// Decides whether a connection's first request stays a request or may become a socket.
///
/// NIO's upgrade handler never responds to an upgrade that it rejects, so it must not see one: the
/// gate removes the `Upgrade` header, and the request is then answered like any other.
final class UpgradeGate: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let admit: (WireRequest) -> FeedTicket?
    /// The ticket of the accepted upgrade, or `nil` if there is none.
    private(set) var ticket: FeedTicket?

    init(admit: @escaping (WireRequest) -> FeedTicket?) {
        self.admit = admit
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else {
            context.fireChannelRead(data)
            return
        }
        if head.offersWebSocket { ticket = admit(WireRequest(head)) }
        guard ticket == nil else {
            context.fireChannelRead(data)
            return
        }
        head.headers.remove(name: "Upgrade")
        context.fireChannelRead(wrapInboundOut(.head(head)))
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    /// Responds to an error in the first request; Hummingbird handles those in later ones.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is HTTPParserError {
            var head = HTTPResponseHead(version: .http1_1, status: .badRequest)
            head.headers.add(name: "Connection", value: "close")
            head.headers.add(name: "Content-Length", value: "0")
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
        context.close(promise: nil)
    }
}

extension HTTPRequestHead {
    /// Whether the request is a valid opening handshake (RFC 6455 section 4.2.1) without a body.
    fileprivate var offersWebSocket: Bool {
        method == .GET && version == .http1_1
            && headers[canonicalForm: "Upgrade"].contains { $0.asciiLowercased == "websocket" }
            && headers[canonicalForm: "Connection"].contains { $0.asciiLowercased == "upgrade" }
            && headers["Sec-WebSocket-Key"].count == 1
            && headers["Sec-WebSocket-Version"] == ["13"]
            && !headers.contains(name: "Transfer-Encoding")
            && (headers.first(name: "Content-Length") ?? "0") == "0"
    }
}

extension WireRequest {
    fileprivate init(_ head: HTTPRequestHead) {
        self.init(
            method: head.method.rawValue,
            target: head.uri,
            headers: head.headers.map { WireHeader($0.name, $0.value) }
        )
    }
}
