import Basics
import NIOCore
import NIOHTTP1
import NIOWebSocket

/// NIO's own upgrader for the key and its response, without NIO's frame handlers, and with the
/// checks of RFC 6455 section 4.1 that NIO omits.
struct ClientUpgrader: NIOTypedHTTPClientProtocolUpgrader {
    /// The upgrade handler withholds the response's body until it has its result, so the result of
    /// a rejection must be a future.
    typealias UpgradeResult = EventLoopFuture<WebSocketDialResult>

    let supportedProtocol = "websocket"
    let requiredUpgradeHeaders: [String] = []
    private let role: WebSocketRole
    private let limits: WebSocketLimits
    private let subprotocols: [String]
    private let compression: WebSocketCompression?
    private let handshake: NIOTypedWebSocketClientUpgrader<Void>

    /// Prepares one handshake.
    ///
    /// - Parameters:
    ///   - random: Generates the key of the handshake, and then the masking keys of the frames.
    ///   - limits: The limits of the connection.
    ///   - subprotocols: The requested subprotocols, of which the server may choose one.
    ///   - compression: The compression that is offered, or `nil` for none.
    init(
        random: @escaping @Sendable () -> UInt64,
        limits: WebSocketLimits,
        subprotocols: [String],
        compression: WebSocketCompression?
    ) {
        var generator = Generator(draw: random)
        let key = NIOWebSocketClientUpgrader.randomRequestKey(using: &generator)
        role = .client(maskKeys: { UInt32(truncatingIfNeeded: random()) })
        handshake = NIOTypedWebSocketClientUpgrader(requestKey: key) { channel, _ in
            channel.eventLoop.makeSucceededVoidFuture()
        }
        self.limits = limits
        self.subprotocols = subprotocols
        self.compression = compression
    }

    func addCustom(upgradeRequestHeaders: inout HTTPHeaders) {
        handshake.addCustom(upgradeRequestHeaders: &upgradeRequestHeaders)
        if let compression {
            upgradeRequestHeaders.add(name: "Sec-WebSocket-Extensions", value: compression.offer)
        }
    }

    /// Returns `true`, since `upgrade` rejects with a reason, which this function cannot.
    func shouldAllowUpgrade(upgradeResponse: HTTPResponseHead) -> Bool { true }

    func upgrade(
        channel: any Channel,
        upgradeResponse: HTTPResponseHead
    ) -> EventLoopFuture<UpgradeResult> {
        channel.eventLoop.makeCompletedFuture {
            let (subprotocol, agreed) = try check(upgradeResponse)
            let connection = try WebSocketConnection(
                on: channel,
                role: role,
                limits: limits,
                subprotocol: subprotocol,
                compression: agreed
            )
            let headers = upgradeResponse.headers.map { ($0.name, $0.value) }
            return channel.eventLoop.makeSucceededFuture(.open(connection, headers: headers))
        }
    }

    /// Returns the subprotocol and the compression of a valid response.
    private func check(
        _ answer: HTTPResponseHead
    ) throws(WebSocketDialError) -> (subprotocol: String?, AgreedCompression?) {
        let connection = answer.headers[canonicalForm: "Connection"]
        guard connection.contains(where: { $0.asciiLowercased == "upgrade" }) else {
            throw .badHandshake("no Connection: Upgrade")
        }
        guard handshake.shouldAllowUpgrade(upgradeResponse: answer) else {
            throw .badHandshake("wrong Sec-WebSocket-Accept")
        }
        let agreed = try agreed(by: answer.headers["Sec-WebSocket-Extensions"])
        let chosen = answer.headers["Sec-WebSocket-Protocol"]
        guard let subprotocol = chosen.first else { return (nil, agreed) }
        guard chosen.count == 1, subprotocols.contains(subprotocol) else {
            throw .badHandshake("a subprotocol that was not requested")
        }
        return (subprotocol, agreed)
    }

    private func agreed(
        by values: [String]
    ) throws(WebSocketDialError) -> AgreedCompression? {
        guard let compression else {
            guard values.isEmpty else {
                throw .badHandshake("an extension that was not requested")
            }
            return nil
        }
        do throws(ExtensionProblem) {
            return try compression.agreed(by: values)
        } catch {
            throw .badHandshake(error.reason)
        }
    }
}

/// The caller's source of random numbers as a generator of the standard library.
private struct Generator: RandomNumberGenerator {
    let draw: @Sendable () -> UInt64

    mutating func next() -> UInt64 { draw() }
}

/// The handlers of a dial, from the upgrade's request to its result.
extension ClientUpgrader {
    /// Adds the handlers above the transport, or above its TLS.
    ///
    /// - Parameters:
    ///   - channel: The channel, which is not active yet.
    ///   - request: The head of the upgrade request, without what this function adds.
    /// - Returns: The result, available once the response's head has arrived.
    /// - Throws: If the channel has closed in the meantime.
    func configure(
        _ channel: any Channel,
        request: HTTPRequestHead
    ) throws -> EventLoopFuture<UpgradeResult> {
        let operations = channel.pipeline.syncOperations
        try operations.addHandler(EndOfTransportDelay())
        let encoder = HTTPRequestEncoder()
        let decoder = ByteToMessageHandler(
            HTTPResponseDecoder(
                // Frames that arrive together with the 101 would be lost otherwise.
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
        // Without validation of the headers: `UpgradeRequest` has validated them, and a path must
        // be sent as written.
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

/// Delays the end of the transport by one turn of the event loop.
///
/// NIO's HTTP decoder leaves the pipeline one turn after it has read a 101, and discards what
/// followed it if the transport ends in between. The close frame of a server that accepts only to
/// state why it closes (101, close frame and FIN at once) would be lost.
final class EndOfTransportDelay: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func channelInactive(context: ChannelHandlerContext) {
        context.eventLoop.assumeIsolated().execute { context.fireChannelInactive() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.eventLoop.assumeIsolated().execute { context.fireErrorCaught(error) }
    }
}
