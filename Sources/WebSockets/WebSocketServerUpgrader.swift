package import NIOCore
package import NIOHTTP1
import NIOWebSocket

/// The server's side of the upgrade, for `NIOTypedHTTPServerUpgradeHandler`.
///
/// It takes the place of `NIOTypedWebSocketServerUpgrader`, whose frame handlers could not be
/// removed again, and leaves the handshake itself to it.
package struct WebSocketServerUpgrader<UpgradeResult: Sendable>:
    NIOTypedHTTPServerProtocolUpgrader
{
    package let supportedProtocol = "websocket"
    package let requiredUpgradeHeaders: [String] = []
    private let limits: WebSocketLimits
    private let handshake: NIOTypedWebSocketServerUpgrader<Void>
    private let upgraded:
        @Sendable (WebSocketConnection, HTTPRequestHead) -> EventLoopFuture<UpgradeResult>

    /// Upgrades to WebSocket, and to nothing else.
    ///
    /// - Parameters:
    ///   - limits: Of each connection.
    ///   - shouldUpgrade: Headers to add to the 101, a chosen `Sec-WebSocket-Protocol` among them;
    ///     nil refuses, and then NIO answers nothing at all (see pitfalls).
    ///   - upgraded: Called on the event loop of the connection, before it reads anything.
    package init(
        limits: WebSocketLimits = WebSocketLimits(),
        shouldUpgrade:
            @escaping @Sendable (any Channel, HTTPRequestHead) -> EventLoopFuture<HTTPHeaders?>,
        upgraded:
            @escaping @Sendable (WebSocketConnection, HTTPRequestHead) ->
            EventLoopFuture<UpgradeResult>
    ) {
        self.limits = limits
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
        )
    }

    package func upgrade(
        channel: any Channel,
        upgradeRequest: HTTPRequestHead
    ) -> EventLoopFuture<UpgradeResult> {
        channel.eventLoop.makeCompletedFuture {
            try WebSocketConnection(on: channel, role: .server, limits: limits)
        }
        .flatMap { upgraded($0, upgradeRequest) }
    }
}
