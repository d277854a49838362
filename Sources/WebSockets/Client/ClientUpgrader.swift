import NIOCore
import NIOHTTP1
import NIOWebSocket

/// NIO's own upgrader for the key and its answer, without NIO's frame handlers, and with the
/// checks of RFC 6455 section 4.1 that it leaves out.
struct ClientUpgrader: NIOTypedHTTPClientProtocolUpgrader {
    /// The upgrade handler holds back the answer's body until it has its result, so the result of
    /// a refusal has to be a promise of one.
    typealias UpgradeResult = EventLoopFuture<WebSocketDialResult>

    let supportedProtocol = "websocket"
    let requiredUpgradeHeaders: [String] = []
    private let role: WebSocketRole
    private let limits: WebSocketLimits
    private let subprotocols: [String]
    private let handshake: NIOTypedWebSocketClientUpgrader<Void>

    /// Prepares one handshake.
    ///
    /// - Parameters:
    ///   - random: Gives the key of the handshake, and then those of the frames.
    ///   - limits: Of the connection to come.
    ///   - subprotocols: Those asked for: the server may choose no other.
    init(
        random: @escaping @Sendable () -> UInt64,
        limits: WebSocketLimits,
        subprotocols: [String]
    ) {
        var generator = Generator(draw: random)
        let key = NIOWebSocketClientUpgrader.randomRequestKey(using: &generator)
        role = .client(maskKeys: { UInt32(truncatingIfNeeded: random()) })
        handshake = NIOTypedWebSocketClientUpgrader(requestKey: key) { channel, _ in
            channel.eventLoop.makeSucceededVoidFuture()
        }
        self.limits = limits
        self.subprotocols = subprotocols
    }

    func addCustom(upgradeRequestHeaders: inout HTTPHeaders) {
        handshake.addCustom(upgradeRequestHeaders: &upgradeRequestHeaders)
    }

    /// Always: `upgrade` refuses with a reason, which this cannot give.
    func shouldAllowUpgrade(upgradeResponse: HTTPResponseHead) -> Bool { true }

    func upgrade(
        channel: any Channel,
        upgradeResponse: HTTPResponseHead
    ) -> EventLoopFuture<UpgradeResult> {
        channel.eventLoop.makeCompletedFuture {
            let subprotocol = try check(upgradeResponse)
            let connection = try WebSocketConnection(
                on: channel,
                role: role,
                limits: limits,
                subprotocol: subprotocol
            )
            let headers = upgradeResponse.headers.map { ($0.name, $0.value) }
            return channel.eventLoop.makeSucceededFuture(.open(connection, headers: headers))
        }
    }

    /// The subprotocol of an answer that is in order.
    private func check(_ answer: HTTPResponseHead) throws(WebSocketDialError) -> String? {
        let connection = answer.headers[canonicalForm: "Connection"]
        guard connection.contains(where: { $0.lowercased() == "upgrade" }) else {
            throw .badHandshake("no Connection: Upgrade")
        }
        guard handshake.shouldAllowUpgrade(upgradeResponse: answer) else {
            throw .badHandshake("wrong Sec-WebSocket-Accept")
        }
        guard !answer.headers.contains(name: "Sec-WebSocket-Extensions") else {
            throw .badHandshake("an extension nobody asked for")
        }
        let chosen = answer.headers["Sec-WebSocket-Protocol"]
        guard let subprotocol = chosen.first else { return nil }
        guard chosen.count == 1, subprotocols.contains(subprotocol) else {
            throw .badHandshake("a subprotocol nobody asked for")
        }
        return subprotocol
    }
}

/// The caller's source of random numbers in the form the standard library wants.
private struct Generator: RandomNumberGenerator {
    let draw: @Sendable () -> UInt64

    mutating func next() -> UInt64 { draw() }
}

/// The handlers of a dial, from the upgrade's request to its result.
extension ClientUpgrader {
    /// Adds them above the transport, or its TLS.
    ///
    /// - Parameters:
    ///   - channel: Not active yet.
    ///   - request: Of the upgrade, without what this adds.
    /// - Returns: The result, once the answer's head is in.
    /// - Throws: When the channel has closed meanwhile.
    func configure(
        _ channel: any Channel,
        request: HTTPRequestHead
    ) throws -> EventLoopFuture<UpgradeResult> {
        let operations = channel.pipeline.syncOperations
        try operations.addHandler(EndOfTransportDelay())
        let encoder = HTTPRequestEncoder()
        let decoder = ByteToMessageHandler(
            HTTPResponseDecoder(
                // Frames that come together with the 101 would be lost otherwise.
                leftOverBytesStrategy: .forwardBytes,
                informationalResponseStrategy: .forward
            )
        )
        let upgrade = NIOTypedHTTPClientUpgradeHandler(
            httpHandlers: [encoder, decoder],
            upgradeConfiguration: NIOTypedHTTPClientUpgradeConfiguration(
                upgradeRequestHead: request,
                upgraders: [self],
                notUpgradingCompletionHandler: { Self.readRefusal(on: $0) }
            )
        )
        // No validation of the headers: `UpgradeRequest` has checked them, and a path is to be sent
        // as it was written.
        try operations.addHandler(encoder)
        try operations.addHandler(decoder)
        try ResponseGuard.add(around: decoder, in: operations, allowsUpgrade: true)
        try operations.addHandler(upgrade)
        return upgrade.upgradeResultFuture
    }

    private static func readRefusal(on channel: any Channel) -> EventLoopFuture<UpgradeResult> {
        channel.eventLoop.makeCompletedFuture {
            let refusal = channel.eventLoop.makePromise(of: WebSocketDialResult.self)
            do {
                try channel.pipeline.syncOperations.addHandler(RefusalReader(result: refusal))
            } catch {
                refusal.fail(error)
            }
            return refusal.futureResult
        }
    }
}

/// Holds back the end of the transport for one turn of the event loop.
///
/// NIO's HTTP decoder leaves the pipeline one turn after it has read a 101, and throws away what
/// came behind it when the end comes in between. Servers that accept only to say why they close
/// (101, close frame and FIN at once) would be heard saying nothing.
final class EndOfTransportDelay: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func channelInactive(context: ChannelHandlerContext) {
        context.eventLoop.assumeIsolated().execute { context.fireChannelInactive() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.eventLoop.assumeIsolated().execute { context.fireErrorCaught(error) }
    }
}
