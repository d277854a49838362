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
