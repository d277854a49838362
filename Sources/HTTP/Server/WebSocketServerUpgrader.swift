package import NIOCore
package import NIOHTTP1
import NIOWebSocket

/// The server's side of the upgrade, for `NIOTypedHTTPServerUpgradeHandler`.
///
/// It replaces `NIOTypedWebSocketServerUpgrader`, whose frame handlers could not be removed again,
/// but leaves the handshake itself to it.
package struct WebSocketServerUpgrader<UpgradeResult: Sendable>:
    NIOTypedHTTPServerProtocolUpgrader
{
    package let supportedProtocol = "websocket"
    package let requiredUpgradeHeaders: [String] = []
    private let limits: WebSocketLimits
    private let compression: WebSocketCompression?
    private let handshake: NIOTypedWebSocketServerUpgrader<Void>
    private let upgraded:
        @Sendable (WebSocketConnection, HTTPRequestHead) -> EventLoopFuture<UpgradeResult>

    /// Creates an upgrader to WebSocket.
    ///
    /// - Parameters:
    ///   - limits: The limits of each connection.
    ///   - compression: The terms on which an offer of compression is accepted; `nil` for none.
    ///   - shouldUpgrade: Returns the headers to add to the 101, such as `Sec-WebSocket-Protocol`,
    ///     or `nil` to reject, after which NIO sends no response at all.
    ///   - upgraded: Called on the event loop of the connection, before it reads anything.
    package init(
        limits: WebSocketLimits = WebSocketLimits(),
        compression: WebSocketCompression? = WebSocketCompression(),
        shouldUpgrade:
            @escaping @Sendable (any Channel, HTTPRequestHead) -> EventLoopFuture<HTTPHeaders?>,
        upgraded:
            @escaping @Sendable (WebSocketConnection, HTTPRequestHead) ->
            EventLoopFuture<UpgradeResult>
    ) {
        self.limits = limits
        self.compression = compression
        self.upgraded = upgraded
        handshake = NIOTypedWebSocketServerUpgrader(
            shouldUpgrade: shouldUpgrade,
            upgradePipelineHandler: { channel, _ in channel.eventLoop.makeSucceededVoidFuture() }
        )
    }

    package func buildUpgradeResponse(
        channel: any Channel,
        upgradeRequest: HTTPRequestHead,
        initialResponseHeaders: HTTPHeaders
    ) -> EventLoopFuture<HTTPHeaders> {
        handshake.buildUpgradeResponse(
            channel: channel,
            upgradeRequest: upgradeRequest,
            initialResponseHeaders: initialResponseHeaders
        ).map { headers in
            guard let accepted = accept(upgradeRequest) else { return headers }
            var headers = headers
            headers.add(name: "Sec-WebSocket-Extensions", value: accepted.response)
            return headers
        }
    }

    private func accept(
        _ request: HTTPRequestHead
    ) -> (agreed: AgreedCompression, response: String)? {
        compression?.accept(request.headers["Sec-WebSocket-Extensions"])
    }

    package func upgrade(
        channel: any Channel,
        upgradeRequest: HTTPRequestHead
    ) -> EventLoopFuture<UpgradeResult> {
        channel.eventLoop.makeCompletedFuture {
            try WebSocketConnection(
                on: channel,
                role: .server,
                limits: limits,
                compression: accept(upgradeRequest)?.agreed
            )
        }
        .flatMap { upgraded($0, upgradeRequest) }
    }
}
