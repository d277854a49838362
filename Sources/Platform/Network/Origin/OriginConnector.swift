package import Basics
package import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS

/// Opens connections to one origin, over TLS if its scheme says so.
package struct OriginConnector: Sendable {
    private let origin: BackendOrigin
    private let tls: NIOSSLContext?
    /// Offers HTTP/2 before HTTP/1.1.
    private let multiplexed: NIOSSLContext?
    private let security: TransportSecurity
    private let certificates: CertificateProbe
    private let timekeeper: any Timekeeper
    private let loop: any EventLoop
    private let limit: Duration

    /// - Parameters:
    ///   - origin: Where connections lead; its path does not matter.
    ///   - trust: The authorities that are trusted.
    ///   - security: What is required of the server besides, and the certificate that it is shown.
    ///   - timekeeper: For the dates of certificates.
    ///   - loop: Of all connections.
    ///   - limit: The limit for DNS, TCP and TLS together.
    /// - Throws: If the trust roots cannot be used.
    package init(
        to origin: BackendOrigin,
        trust: TrustRoots,
        security: TransportSecurity = .standard,
        timekeeper: any Timekeeper,
        on loop: any EventLoop,
        within limit: Duration
    ) throws {
        self.origin = origin
        self.timekeeper = timekeeper
        self.loop = loop
        self.limit = limit
        self.security = security
        var configuration = trust.clientConfiguration.showing(security.clientCertificate)
        tls = origin.isSecure ? try NIOSSLContext(configuration: configuration) : nil
        configuration.applicationProtocols = ["h2", "http/1.1"]
        multiplexed = origin.isSecure ? try NIOSSLContext(configuration: configuration) : nil
        certificates = CertificateProbe(on: loop, trust: trust, timekeeper: timekeeper)
    }

    /// Opens a connection.
    ///
    /// It does not read by itself, and stays open when its peer has closed its half.
    ///
    /// - Parameters:
    ///   - offersHTTP2: Whether the server may choose HTTP/2, as `negotiatesHTTP2` tells then.
    ///   - initializer: Adds the handlers to the channel of each attempt; several addresses may be
    ///     tried at the same time.
    /// - Returns: The first channel that is connected, and whose TLS is established.
    package func connect(
        offeringHTTP2 offersHTTP2: Bool = false,
        initializer: @escaping @Sendable (ChannelPipeline.SynchronousOperations) throws -> Void
    ) -> EventLoopFuture<any Channel> {
        let tls = offersHTTP2 ? multiplexed : tls
        let attempts = NIOLoopBoundBox.makeBoxSendingValue(
            [ObjectIdentifier: EventLoopFuture<Void>](),
            eventLoop: loop
        )
        let deadline = loop.makePromise(of: (any Channel).self)
        let timer = loop.scheduleTask(in: TimeAmount(limit)) {
            deadline.fail(ChannelError.connectTimeout(TimeAmount(limit)))
        }
        let bootstrap = ClientBootstrap(group: loop)
            .connectTimeout(TimeAmount(limit))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.autoRead, value: false)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let operations = channel.pipeline.syncOperations
                    if let tls {
                        let name = origin.serverName
                        let handshake = try NIOSSLClientHandler(context: tls, serverHostname: name)
                        try operations.addHandler(handshake)
                        let ready = loop.makePromise(of: Void.self)
                        attempts.value[ObjectIdentifier(channel)] = ready.futureResult
                        try operations.addHandler(
                            HandshakeHandler(ready) {
                                security.mismatch(of: handshake.peerCertificate)
                            }
                        )
                    }
                    try initializer(operations)
                }
            }
        connected(bootstrap).whenComplete { result in
            switch result {
            case .failure(let error): deadline.fail(error)
            case .success(let channel):
                let ready = attempts.value[ObjectIdentifier(channel)]
                attempts.value = [:]
                (ready ?? loop.makeSucceededVoidFuture()).map { channel }.cascade(to: deadline)
                // A connection that arrives after the limit is not wanted any more.
                deadline.futureResult.whenFailure { _ in Self.close(channel) }
            }
        }
        deadline.futureResult.whenComplete { _ in timer.cancel() }
        return deadline.futureResult
    }

    /// Returns whether the server has chosen HTTP/2 in the handshake (RFC 7301); without TLS, it is not
    /// asked.
    package static func negotiatesHTTP2(_ channel: any Channel) -> Bool {
        let handshake = try? channel.pipeline.syncOperations.handler(type: HandshakeHandler.self)
        return handshake?.negotiated == "h2"
    }

    private func connected(_ bootstrap: ClientBootstrap) -> EventLoopFuture<any Channel> {
        if let address = try? SocketAddress(ipAddress: origin.connectHost, port: origin.port) {
            return bootstrap.connect(to: address)
        }
        return bootstrap.connect(host: origin.connectHost, port: origin.port)
    }

    /// Ends a connection with the goodbye of TLS, once the callbacks of BoringSSL are over, inside which
    /// it must not be closed.
    ///
    /// The server's goodbye is not waited for: where a half may be closed, NIO's TLS does not take it for
    /// the end, and would keep the connection for five seconds. What cannot be written at once is dropped.
    package static func close(_ channel: any Channel) {
        channel.eventLoop.execute {
            channel.close(mode: .output, promise: nil)
            closeBelowTLS(channel)
        }
    }

    /// Ends a connection with a RST, below TLS, which would say goodbye.
    package static func reset(_ channel: any Channel) {
        let options = channel as? any SocketOptionProvider
        let set = options?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        (set ?? channel.eventLoop.makeSucceededVoidFuture()).whenComplete { _ in
            closeBelowTLS(channel)
        }
    }

    /// Ends a connection without the goodbye of TLS, on its event loop; outside the callbacks of TLS.
    static func closeBelowTLS(_ channel: any Channel) {
        let operations = channel.pipeline.syncOperations
        if let tls = try? operations.context(handlerType: NIOSSLHandler.self) {
            tls.close(mode: .all, promise: nil)
        } else {
            channel.close(promise: nil)
        }
    }

    /// Finds out why there is no connection, or no whole answer over it; it may ask the server for
    /// its certificates again.
    ///
    /// - Parameters:
    ///   - error: Of `connect(initializer:)`, or of the connection.
    ///   - stage: The progress of the exchange.
    /// - Returns: The reason.
    package func explain(_ error: any Error, at stage: ConnectionStage) async -> OriginFailure {
        var fault = NetworkFault(error, connectLimit: limit)
        if stage == .connecting { fault = await certificates.explain(fault, at: origin) }
        var message = fault.message(at: origin, stage: stage.exchangeStage)
        switch fault {
        case .clientCertificateWanted:
            message =
                "\(origin.host.written):\(origin.port) wants a certificate of the client (mutual TLS), "
                + "which the proxy does not have"
        // Before TLS 1.3, no alert says more (RFC 5246 section 7.4.6).
        case .tls("SSLV3_ALERT_HANDSHAKE_FAILURE"):
            message += ", as from one that wants a certificate of the client"
        default: break
        }
        return OriginFailure(
            message: message,
            isTimeout: fault == .connectTimeout(limit),
            wantsCertificate: fault == .clientCertificateWanted
        )
    }
}

/// The progress of an exchange over a connection.
package enum ConnectionStage: Sendable, Hashable {
    case connecting
    case waiting
    case answering

    fileprivate var exchangeStage: ExchangeStage {
        switch self {
        case .connecting: .connecting
        case .waiting: .waiting
        case .answering: .answering
        }
    }
}

/// The reason of a failure, for users, without headers or tokens.
package struct OriginFailure: Error, Sendable, Hashable {
    package let message: String
    /// Whether there was no connection in time.
    package let isTimeout: Bool
    /// Whether the server wants a certificate of its client.
    package let wantsCertificate: Bool
}

/// Fulfills a promise when TLS is established with a server that is the right one, and reads until then.
private final class HandshakeHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let ready: EventLoopPromise<Void>
    private let mismatch: () -> String?
    /// The protocol that was agreed upon.
    private(set) var negotiated: String?

    /// - Parameters:
    ///   - ready: Fails if there is no connection.
    ///   - mismatch: Says why the server's key is not the right one.
    init(_ ready: EventLoopPromise<Void>, mismatch: @escaping () -> String?) {
        self.ready = ready
        self.mismatch = mismatch
    }

    func channelActive(context: ChannelHandlerContext) {
        context.read()
        context.fireChannelActive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let negotiated)? = event as? TLSUserEvent {
            self.negotiated = negotiated
            if let keys = mismatch() { return ready.fail(NetworkFault.pinMismatch(keys)) }
            ready.succeed()
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        ready.fail(error)
        context.fireErrorCaught(error)
    }

    /// Also of an attempt that was never connected.
    func handlerRemoved(context: ChannelHandlerContext) {
        ready.fail(ChannelError.eof)
    }
}
