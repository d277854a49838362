import AsyncHTTPClient
import Client
import Glibc
import HTTP
import Model
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOSSL
import Synchronization

/// The two HTTP clients: one that uses a new connection for each request, and one with a pool.
///
/// If the server closes a pooled connection while a request is being written, that request is lost,
/// and possibly a one-time token with it.
struct HTTPClients: Sendable {
    let notes = ConnectionNotes()
    let openings: HTTP2Openings
    private let own: HTTPClient
    private let shared: HTTPClient

    /// - Parameters:
    ///   - loop: The event loop for channels and tasks alike, which `HTTPExchange` relies on.
    ///   - tls: The TLS configuration, with the trust roots.
    ///   - route: The proxy, and what is required of servers.
    ///   - connectTimeout: The limit for DNS, TCP and TLS together.
    ///   - openings: Those of the event loop.
    init(
        on loop: any EventLoop,
        tls: TLSConfiguration,
        route: Route,
        connectTimeout: TimeAmount,
        openings: HTTP2Openings
    ) {
        self.openings = openings
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls.showing(route.security.clientCertificate),
            redirectConfiguration: .disallow,
            timeout: .init(connect: connectTimeout),
            decompression: .disabled
        )
        // HTTP/2 if the server selects it by ALPN; without TLS, HTTP/1.1.
        configuration.httpVersion = .automatic
        configuration.proxy = route.proxy?.forHTTPClient
        configuration.http1_1ConnectionDebugInitializer = { [notes] in
            Self.prepare($0, notes: notes, route)
        }
        configuration.http2ConnectionDebugInitializer = {
            Self.prepareHTTP2($0, route)
        }
        configuration.http2StreamChannelDebugInitializer = { [notes] in
            Self.prepareStream($0, notes: notes)
        }
        // If enabled, a refused connection would be reported only after the connect timeout.
        configuration.connectionPool.retryConnectionEstablishment = false
        // Node and uvicorn close idle connections after 5 s.
        configuration.connectionPool.idleTimeout = .seconds(4)
        shared = HTTPClient(eventLoopGroup: loop, configuration: configuration)

        configuration.maximumUsesPerConnection = 1
        // A connection whose request was given up is not kept for a later one.
        configuration.connectionPool.idleTimeout = .milliseconds(1)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        own = HTTPClient(eventLoopGroup: loop, configuration: configuration)
    }

    /// Checks the server's address and key, and adds our handlers to a new connection, on its event loop and
    /// before its first request; closes it if that throws, which AsyncHTTPClient does not.
    private static func prepare(
        _ channel: any Channel,
        notes: ConnectionNotes,
        _ route: Route
    ) -> EventLoopFuture<Void> {
        prepare(channel, route) { operations in
            let decoder = try operations.handler(
                type: ByteToMessageHandler<HTTPResponseDecoder>.self
            )
            try ResponseGuard.add(around: decoder, in: operations, allowsUpgrade: false)
            try notes.attach(to: operations)
        }
    }

    /// The same for a connection that carries streams of HTTP/2, after the server's first SETTINGS.
    private static func prepareHTTP2(
        _ channel: any Channel,
        _ route: Route
    ) -> EventLoopFuture<Void> {
        prepare(channel, route) { operations in
            if let opening = try? operations.handler(type: HTTP2OpeningGuard.self) {
                opening.opened()
            }
            if (try? operations.context(handlerType: HTTP2ConnectionGuard.self)) == nil {
                try HTTP2ConnectionGuard.add(to: operations)
            }
        }
    }

    private static func prepare(
        _ channel: any Channel,
        _ route: Route,
        addHandlers: (ChannelPipeline.SynchronousOperations) throws -> Void
    ) -> EventLoopFuture<Void> {
        let ready = channel.eventLoop.makeCompletedFuture {
            try channel.enableProbes()
            let operations = channel.pipeline.syncOperations
            // A proxy's own address says nothing about the server.
            if route.proxy == nil { try route.security.check(channel.remoteAddress) }
            try route.security.check(operations)
            try addHandlers(operations)
        }
        ready.whenFailure { _ in
            // A connection must not be closed inside a callback of BoringSSL.
            channel.eventLoop.execute { channel.close(promise: nil) }
        }
        return ready
    }

    /// Adds our handlers to a stream, on its event loop and before its request.
    private static func prepareStream(
        _ channel: any Channel,
        notes: ConnectionNotes
    ) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let operations = channel.pipeline.syncOperations
            let codec = try operations.handler(type: HTTP2FramePayloadToHTTP1ClientCodec.self)
            try operations.addHandler(HTTP2ResponseGuard(), position: .before(codec))
            try ResponseGuard.add(after: codec, in: operations)
            let connection = try channel.parent?.pipeline.syncOperations
                .handler(type: HTTP2ConnectionGuard.self)
            notes.record(isNew: connection?.begin(channel) ?? true)
        }
    }

    func client(for use: ConnectionUse) -> HTTPClient {
        switch use {
        case .own: own
        case .shared: shared
        }
    }

    /// Closes every connection, and fails its request.
    func shutDown() -> EventLoopFuture<Void> {
        own.shutdown().and(shared.shutdown()).map { _ in }
    }
}

/// The route to a server, and the requirements for it.
struct Route: Sendable, Hashable {
    var proxy: Proxy?
    var security: TransportSecurity
}

/// The HTTP clients of each route, which are made when they are needed first.
final class HTTPClientPool: Sendable {
    private let make: @Sendable (Route) -> HTTPClients
    private let clients = Mutex<[Route: HTTPClients]>([:])

    init(make: @escaping @Sendable (Route) -> HTTPClients) {
        self.make = make
    }

    func clients(for route: Route) -> HTTPClients {
        clients.withLock { clients in
            if let existing = clients[route] { return existing }
            let new = make(route)
            clients[route] = new
            return new
        }
    }

    /// Closes every connection, and fails its request.
    func shutDown(on loop: any EventLoop) -> EventLoopFuture<Void> {
        let all = clients.withLock { Array($0.values) }
        return EventLoopFuture.andAllComplete(all.map { $0.shutDown() }, on: loop)
    }
}

extension Proxy {
    fileprivate var forHTTPClient: HTTPClient.Configuration.Proxy {
        .server(
            host: host.bare,
            port: port,
            authorization: authorization.map {
                .basic(username: $0.user, password: $0.password)
            }
        )
    }
}

extension Channel {
    /// Has TCP find within 30 s that the other end is gone, which an event stream cannot ask.
    fileprivate func enableProbes() throws {
        guard let options = syncOptions else { return }
        try options.setOption(.socketOption(.so_keepalive), value: 1)
        for (name, value) in [(TCP_KEEPIDLE, 15), (TCP_KEEPINTVL, 5), (TCP_KEEPCNT, 3)] {
            try options.setOption(.tcpOption(.init(rawValue: name)), value: value)
        }
    }
}

extension TransportSecurity {
    /// Checks the address to which a name has led.
    ///
    /// - Throws: `NetworkFault.near`.
    fileprivate func check(_ address: SocketAddress?) throws {
        guard !reachesNear, let text = address?.ipAddress,
            NetworkAddress(text)?.isNear ?? true
        else { return }
        throw NetworkFault.near(text)
    }

    /// Checks the key of the server at the other end of a pipeline with TLS.
    ///
    /// - Throws: `NetworkFault.pinMismatch`.
    fileprivate func check(_ operations: ChannelPipeline.SynchronousOperations) throws {
        guard let tls = try? operations.handler(type: NIOSSLClientHandler.self) else { return }
        if let mismatch = mismatch(of: tls.peerCertificate) {
            throw NetworkFault.pinMismatch(mismatch)
        }
    }
}

/// Records whether a request was sent on a new connection or on a reused one.
///
/// AsyncHTTPClient does not expose the connection of a request. It passes a request to its
/// connection and writes the head in one turn of the event loop, so the latest record, when read
/// after the head was written, is about that request.
final class ConnectionNotes: Sendable {
    private let isNew = Mutex(false)

    /// Whether the request that was passed to a connection last was its first.
    var latestIsNew: Bool { isNew.withLock { $0 } }

    /// Records the requests of a connection.
    func attach(to operations: ChannelPipeline.SynchronousOperations) throws {
        try operations.addHandler(FirstUseHandler(notes: self))
    }

    fileprivate func record(isNew value: Bool) {
        isNew.withLock { $0 = value }
    }
}

/// A handler at the end of a connection's pipeline, which receives whole requests.
private final class FirstUseHandler: ChannelOutboundHandler {
    typealias OutboundIn = Never

    private let notes: ConnectionNotes
    private var isUsed = false

    init(notes: ConnectionNotes) {
        self.notes = notes
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        notes.record(isNew: !isUsed)
        isUsed = true
        context.write(data, promise: promise)
    }
}
