import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOSSL
import Sessions
import Synchronization
import WebSockets

/// The two clients: one whose connections serve one request each, and one with a pool.
///
/// A pooled connection that the server closes while a request is being written loses that request,
/// and with it perhaps a one-time token.
struct HTTPClients: Sendable {
    let notes = ConnectionNotes()
    private let own: HTTPClient
    private let shared: HTTPClient

    /// - Parameters:
    ///   - loop: One loop for channels and tasks alike: `HTTPExchange` relies on that.
    ///   - tls: Whom to trust.
    ///   - connectTimeout: For DNS, TCP and TLS together.
    init(on loop: any EventLoop, tls: TLSConfiguration, connectTimeout: TimeAmount) {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls,
            redirectConfiguration: .disallow,
            timeout: .init(connect: connectTimeout),
            decompression: .disabled
        )
        configuration.httpVersion = .http1Only
        configuration.http1_1ConnectionDebugInitializer = { [notes] in
            Self.prepare($0, notes: notes)
        }
        // On, a refused connection would be known only when the connect timeout is over.
        configuration.connectionPool.retryConnectionEstablishment = false
        // Node and uvicorn close after 5 s.
        configuration.connectionPool.idleTimeout = .seconds(4)
        shared = HTTPClient(eventLoopGroup: loop, configuration: configuration)

        configuration.maximumUsesPerConnection = 1
        // A connection whose request was given up meanwhile is not kept for a later one.
        configuration.connectionPool.idleTimeout = .milliseconds(1)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        own = HTTPClient(eventLoopGroup: loop, configuration: configuration)
    }

    /// Adds our handlers to a new connection, on its event loop and before its first request.
    private static func prepare(
        _ channel: any Channel,
        notes: ConnectionNotes
    ) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let operations = channel.pipeline.syncOperations
            let decoder = try operations.handler(
                type: ByteToMessageHandler<HTTPResponseDecoder>.self
            )
            try ResponseGuard.add(around: decoder, in: operations, allowsUpgrade: false)
            try notes.attach(to: operations)
        }
    }

    func client(for use: ConnectionUse) -> HTTPClient {
        switch use {
        case .own: own
        case .shared: shared
        }
    }

    /// Ends every connection, and every request with it.
    func shutDown() -> EventLoopFuture<Void> {
        own.shutdown().and(shared.shutdown()).map { _ in }
    }
}

/// Tells whether a request goes out on a new connection or on one that was open already.
///
/// AsyncHTTPClient does not say which connection a request is on. It hands a request to the
/// connection and writes the head in one turn of the event loop, so that the latest note, read when
/// the head has been written, is about that very request.
final class ConnectionNotes: Sendable {
    private let isNew = Mutex(false)

    /// Whether the request that was handed to a connection last was its first.
    var latestIsNew: Bool { isNew.withLock { $0 } }

    /// Notes the requests of a connection.
    func attach(to operations: ChannelPipeline.SynchronousOperations) throws {
        try operations.addHandler(FirstUseHandler(notes: self))
    }

    fileprivate func note(isNew value: Bool) {
        isNew.withLock { $0 = value }
    }
}

/// Sits at the end of a connection's pipeline, where whole requests come in.
private final class FirstUseHandler: ChannelOutboundHandler {
    typealias OutboundIn = Never

    private let notes: ConnectionNotes
    private var isUsed = false

    init(notes: ConnectionNotes) {
        self.notes = notes
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        notes.note(isNew: !isUsed)
        isUsed = true
        context.write(data, promise: promise)
    }
}
