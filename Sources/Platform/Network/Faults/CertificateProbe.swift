import Basics
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS

/// Finds out why a server's certificates were not trusted.
///
/// BoringSSL's verification knows the reason, but NIOSSL only reports the failure, and
/// AsyncHTTPClient gives no access to a connection before its handshake is complete. The probe
/// therefore opens connections of its own to inspect the certificates. They send nothing but the
/// handshake.
struct CertificateProbe: Sendable {
    /// The limit for each connection; the failure itself is already known.
    private static let limit = TimeAmount.seconds(3)

    private let loop: any EventLoop
    private let trust: TrustRoots
    private let timekeeper: any Timekeeper

    init(on loop: any EventLoop, trust: TrustRoots, timekeeper: any Timekeeper) {
        self.loop = loop
        self.trust = trust
        self.timekeeper = timekeeper
    }

    /// Returns the same fault, with the reason if it can be determined.
    func explain(_ fault: NetworkFault, at origin: BackendOrigin) async -> NetworkFault {
        guard fault == .untrusted(nil), !Task.isCancelled else { return fault }
        let chain = await shownChain(at: origin)
        guard let leaf = chain.first else { return fault }
        if let problem = CertificateProblem(datesOf: chain, at: timekeeper.wall) {
            return .untrusted(problem)
        }
        let isSelfSigned = chain.count == 1 ? await verifies(origin, trusting: leaf) : false
        return .untrusted(isSelfSigned ? .selfSigned : .unknownIssuer)
    }

    /// Returns the certificates that the server presents, none of which are accepted; empty if it
    /// presents none in time.
    private func shownChain(at origin: BackendOrigin) async -> [NIOSSLCertificate] {
        var configuration = trust.clientConfiguration
        configuration.trustRoots = .certificates([])
        configuration.additionalTrustRoots = []
        let shown = loop.makePromise(of: [NIOSSLCertificate].self)
        connect(to: origin, configuration, until: shown, otherwise: []) { tls, name in
            try NIOSSLClientHandler(
                context: tls,
                serverHostname: name,
                customVerificationCallback: { chain, verdict in
                    shown.succeed(chain)
                    verdict.succeed(.failed)
                }
            )
        }
        return (try? await shown.futureResult.get()) ?? []
    }

    /// Returns whether the server's certificate would be valid if it were trusted itself.
    private func verifies(
        _ origin: BackendOrigin,
        trusting certificate: NIOSSLCertificate
    ) async -> Bool {
        var configuration = trust.clientConfiguration
        configuration.trustRoots = .certificates([certificate])
        configuration.additionalTrustRoots = []
        configuration.certificateVerification = .noHostnameVerification
        let passed = loop.makePromise(of: Bool.self)
        connect(to: origin, configuration, until: passed, otherwise: false) { tls, name in
            try NIOSSLClientHandler(context: tls, serverHostname: name)
        } then: {
            try $0.addHandler(HandshakeNote(completed: passed))
        }
        return (try? await passed.futureResult.get()) ?? false
    }

    /// Connects, and closes the connection once the promise is fulfilled; fulfills it with the
    /// other value if the connection ends or is not established in time.
    private func connect<Value: Sendable>(
        to origin: BackendOrigin,
        _ configuration: TLSConfiguration,
        until promise: EventLoopPromise<Value>,
        otherwise value: Value,
        handler: @escaping @Sendable (NIOSSLContext, String?) throws -> NIOSSLClientHandler,
        then: @escaping @Sendable (ChannelPipeline.SynchronousOperations) throws -> Void = { _ in }
    ) {
        let timer = loop.scheduleTask(in: Self.limit) { promise.succeed(value) }
        promise.futureResult.whenComplete { _ in timer.cancel() }
        ClientBootstrap(group: loop)
            .connectTimeout(Self.limit)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let operations = channel.pipeline.syncOperations
                    let tls = try NIOSSLContext(configuration: configuration)
                    try operations.addHandler(handler(tls, origin.serverName))
                    try then(operations)
                }
            }
            .connect(host: origin.connectHost, port: origin.port)
            .whenComplete { connected in
                guard case .success(let channel) = connected else {
                    return promise.succeed(value)
                }
                channel.closeFuture.whenComplete { _ in promise.succeed(value) }
                promise.futureResult.whenComplete { _ in
                    // A connection must not be closed inside a callback of BoringSSL.
                    channel.eventLoop.execute { channel.close(promise: nil) }
                }
            }
    }
}

/// Records that a handshake has completed, which includes verification.
private final class HandshakeNote: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let completed: EventLoopPromise<Bool>

    init(completed: EventLoopPromise<Bool>) {
        self.completed = completed
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { completed.succeed(true) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
