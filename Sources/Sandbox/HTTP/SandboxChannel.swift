import HTTP
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// One connection, which becomes a feed with its first request or stays with HTTP.
struct SandboxChannel: ServerChildChannel, HTTPChannelHandler {
    enum Negotiated: Sendable {
        case http(NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>)
        case feed(WebSocketConnection, FeedTicket)
    }

    /// An accepted connection, which is closed when this object is released, whether or not it was
    /// handled.
    final class Value: ServerChildChannelValue {
        let channel: any Channel
        let negotiated: EventLoopFuture<Negotiated>

        init(channel: any Channel, negotiated: EventLoopFuture<Negotiated>) {
            self.channel = channel
            self.negotiated = negotiated
            // The negotiated result must be kept until its channel is closed.
            channel.closeFuture.whenComplete { _ in withExtendedLifetime(negotiated) {} }
        }

        deinit {
            channel.close(promise: nil)
        }
    }

    let responder: Responder
    let core: SandboxCore
    let limits: ConnectionLimits

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            let encoder = HTTPResponseEncoder()
            let decoder = ByteToMessageHandler(
                HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes)
            )
            let deadline = ConnectionDeadline(limits)
            let connection = ObjectIdentifier(channel)
            let gate = UpgradeGate { [core] in core.admit($0, on: connection) }
            channel.closeFuture.whenComplete { [core] _ in
                _ = core.takeAnsweredUpgrade(of: connection)
            }
            let upgrade = NIOTypedHTTPServerUpgradeHandler(
                httpEncoder: encoder,
                extraHTTPHandlers: [decoder, deadline, gate],
                upgradeConfiguration: .init(
                    upgraders: [upgrader(NIOLoopBound(gate, eventLoop: channel.eventLoop))],
                    notUpgradingCompletionHandler: { stayWithHTTP($0, logger: logger) }
                )
            )
            try pipeline.addHandlers([encoder, decoder, deadline, gate, upgrade])
            return Value(channel: channel, negotiated: upgrade.upgradeResultFuture)
        }
    }

    func handle(value: Value, logger: Logger) async {
        let negotiated: Negotiated
        do {
            negotiated = try await withTaskCancellationHandler {
                try await value.negotiated.get()
            } onCancel: {
                value.channel.close(promise: nil)
            }
        } catch {
            return
        }
        switch negotiated {
        case .http(let channel):
            await handleHTTP(asyncChannel: channel, logger: logger)
        case .feed(let connection, let ticket):
            guard case .spoken(let spoken, let served) = ticket.admission else {
                return await ServedFeedSocket(connection: connection, core: core).serve(ticket)
            }
            await SpokenConnection(connection, speaking: spoken, in: served, core: core)
                .serve(ticket)
        }
    }

    private func upgrader(
        _ gate: NIOLoopBound<UpgradeGate>
    ) -> WebSocketServerUpgrader<Negotiated> {
        WebSocketServerUpgrader(
            compression: core.feed.compresses ? WebSocketCompression() : nil,
            shouldUpgrade: { channel, _ in
                var headers = HTTPHeaders()
                if let name = gate.value.ticket?.subprotocol {
                    headers.add(name: "Sec-WebSocket-Protocol", value: name)
                }
                return channel.eventLoop.makeSucceededFuture(headers)
            },
            upgraded: { connection, _ in
                gate.eventLoop.makeCompletedFuture {
                    guard let ticket = gate.value.ticket else { throw ChannelError.inputClosed }
                    return .feed(connection, ticket)
                }
            }
        )
    }

    @Sendable
    private func stayWithHTTP(
        _ channel: any Channel,
        logger: Logger
    ) -> EventLoopFuture<Negotiated> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandlers([
                HTTP1ToHTTPServerCodec(secure: false),
                HTTPConnectionStateHandler(logger: logger),
            ])
            return .http(
                try NIOAsyncChannel(
                    wrappingChannelSynchronously: channel,
                    configuration: .init(isOutboundHalfClosureEnabled: true)
                )
            )
        }
    }
}
