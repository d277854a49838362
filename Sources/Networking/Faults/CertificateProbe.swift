import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import Timekeeping

/// Finds out why a server's certificates were not trusted.
///
/// BoringSSL's verification knows why, but NIOSSL passes on only that it failed, and
/// AsyncHTTPClient gives no access to a connection before its handshake is over. So connections of
/// its own look at the certificates. They send nothing but the handshake.
struct CertificateProbe: Sendable {
    /// For each connection; the failure that it explains is known already.
    private static let limit = TimeAmount.seconds(3)

    private let loop: any EventLoop
    private let trust: TrustRoots
    private let timekeeper: any Timekeeper

    init(on loop: any EventLoop, trust: TrustRoots, timekeeper: any Timekeeper) {
        self.loop = loop
        self.trust = trust
        self.timekeeper = timekeeper
    }

    /// Returns the same fault, with the reason where it can be found out.
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

    /// The certificates that the server shows, which are refused whatever they are; empty where it
    /// shows none in time.
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

    /// Whether the server's certificate would pass if it were trusted itself.
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

    /// Connects, and closes the connection once the promise has its value: the other one when the
    /// connection ends, or does not come about in time.
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
                    // Not from inside a callback of BoringSSL.
                    channel.eventLoop.execute { channel.close(promise: nil) }
                }
            }
    }
}

/// Notes that a handshake has been completed, which includes verification.
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
