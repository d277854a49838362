import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Testing

@testable import HTTP

/// Serves each WebSocket on a port of its own on 127.0.0.1, for as long as `body` runs.
///
/// - Parameters:
///   - limits: Of each connection.
///   - compression: The server's terms.
///   - tls: Serves wss where it is given.
///   - serve: Called once for each connection.
///   - body: Gets the port.
/// - Returns: The result of `body`.
/// - Throws: Any error that `body` throws.
@discardableResult
func withServer<Value: Sendable>(
    limits: WebSocketLimits = WebSocketLimits(),
    compression: WebSocketCompression? = WebSocketCompression(),
    tls: NIOSSLContext? = nil,
    serve: @escaping @Sendable (WebSocketConnection) async -> Void,
    body: (Int) async throws -> Value
) async throws -> Value {
    let upgrader = WebSocketServerUpgrader<WebSocketConnection?>(
        limits: limits,
        compression: compression,
        shouldUpgrade: { channel, request in
            var headers = HTTPHeaders()
            let field = "Sec-WebSocket-Protocol"
            let named = request.headers[canonicalForm: field]
            if let last = named.last { headers.add(name: field, value: String(last)) }
            return channel.eventLoop.makeSucceededFuture(headers)
        },
        upgraded: { connection, request in
            MultiThreadedEventLoopGroup.singleton.next().makeSucceededFuture(connection)
        }
    )
    let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .bind(host: "127.0.0.1", port: 0) { channel in
            channel.eventLoop.makeCompletedFuture {
                if let tls {
                    let handler = NIOSSLServerHandler(context: tls)
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
                return try channel.pipeline.syncOperations.configureUpgradableHTTPServerPipeline(
                    configuration: NIOUpgradableHTTPServerPipelineConfiguration(
                        upgradeConfiguration: NIOTypedHTTPServerUpgradeConfiguration(
                            upgraders: [upgrader],
                            notUpgradingCompletionHandler: {
                                $0.eventLoop.makeSucceededFuture(nil)
                            }
                        )
                    )
                )
            }
        }
    let port = try #require(server.channel.localAddress?.port)
    return try await server.executeThenClose { connections in
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await withThrowingDiscardingTaskGroup { group in
                    for try await upgrade in connections {
                        group.addTask {
                            guard let connection = try? await upgrade.get() else { return }
                            await serve(connection)
                        }
                    }
                }
            }
            let value = try await body(port)
            group.cancelAll()
            return value
        }
    }
}

extension WebSocketConnection {
    /// Sends back every message until the connection ends.
    @Sendable
    static func echo(_ connection: WebSocketConnection) async {
        for await event in connection.events {
            switch event {
            case .text(let text): try? await connection.send(text: text)
            case .binary(let bytes): try? await connection.send(binary: bytes)
            case .ping, .pong, .closed: break
            }
        }
    }
}
