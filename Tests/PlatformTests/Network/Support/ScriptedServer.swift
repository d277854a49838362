import NIOCore
import NIOPosix
import NIOSSL

/// A TCP server on 127.0.0.1 that does what a script says, byte by byte.
struct ScriptedServer: Sendable {
    enum Step: Sendable {
        /// Reads a request to the end of its body.
        case readRequest
        /// Reads whatever comes first.
        case readAnything
        case send(String)
        case sendRaw([UInt8])
        /// This many bytes without a meaning.
        case sendBytes(Int)
        /// Ends the connection with a RST.
        case reset
        /// Waits until the client ends the connection.
        case hold
    }

    let port: Int
    private let log: ServerLog

    /// The requests read so far, as they came over the wire.
    var requests: [String] { log.requests }

    /// The first that came on each connection that was read from, whole request or not.
    var beginnings: [String] { log.beginnings }

    var connections: Int { log.connections }
    var ended: Int { log.ended }

    /// Waits until this many requests have been read.
    func waitForRequests(_ count: Int) async {
        await log.waitForRequests(count)
    }

    /// Runs a server as long as `body` runs.
    ///
    /// Each connection in turn has its script, and the last is for all that follow; at the end of
    /// its script a connection is closed.
    static func run<Value>(
        _ scripts: [[Step]],
        tls: NIOSSLContext? = nil,
        _ body: (ScriptedServer) async throws -> Value
    ) async throws -> Value {
        let log = ServerLog()
        let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let operations = channel.pipeline.syncOperations
                    if let tls { try operations.addHandler(NIOSSLServerHandler(context: tls)) }
                    let script = scripts[min(log.connected(), scripts.count) - 1]
                    channel.closeFuture.whenComplete { _ in log.disconnected() }
                    try operations.addHandler(ScriptPlayer(script, log: log))
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        let server = ScriptedServer(port: channel.localAddress?.port ?? 0, log: log)
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(server))
        } catch {
            result = .failure(error)
        }
        try await channel.close()
        return try result.get()
    }
}
