package import HTTP
import NIOCore
package import NIOHTTP1
import NIOPosix
package import NIOSSL
import Synchronization

/// A WebSocket server on 127.0.0.1 that accepts every upgrade.
package final class FeedServer: Sendable {
    package let port: Int
    private let heads = Mutex<[HTTPRequestHead]>([])

    private init(port: Int) {
        self.port = port
    }

    /// The requests of the upgrades so far.
    package var upgrades: [HTTPRequestHead] { heads.withLock { $0 } }

    /// Runs a server as long as `body` runs; `serve` is what happens on each connection.
    ///
    /// It speaks TLS where a context is given, and the 101 names the subprotocol.
    package static func run<Value: Sendable>(
        tls: NIOSSLContext? = nil,
        subprotocol: String? = nil,
        serve: @escaping @Sendable (WebSocketConnection) async -> Void,
        _ body: @Sendable (FeedServer) async throws -> Value
    ) async throws -> Value {
        typealias Upgrade = EventLoopFuture<(WebSocketConnection, HTTPRequestHead)?>
        let answer = HTTPHeaders(subprotocol.map { [("Sec-WebSocket-Protocol", $0)] } ?? [])
        let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(host: "127.0.0.1", port: 0) { channel -> EventLoopFuture<Upgrade> in
                channel.eventLoop.makeCompletedFuture {
                    let operations = channel.pipeline.syncOperations
                    if let tls { try operations.addHandler(NIOSSLServerHandler(context: tls)) }
                    let upgrader = WebSocketServerUpgrader(
                        shouldUpgrade: { channel, _ in
                            channel.eventLoop.makeSucceededFuture(answer)
                        },
                        upgraded: { connection, head in
                            channel.eventLoop.makeSucceededFuture(Optional((connection, head)))
                        }
                    )
                    return try operations.configureUpgradableHTTPServerPipeline(
                        configuration: .init(
                            upgradeConfiguration: NIOTypedHTTPServerUpgradeConfiguration(
                                upgraders: [upgrader],
                                notUpgradingCompletionHandler: { channel in
                                    channel.close().map { nil }
                                }
                            )
                        )
                    )
                }
            }
        let server = FeedServer(port: channel.channel.localAddress?.port ?? 0)
        return try await channel.executeThenClose { inbound in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    await withTaskGroup(of: Void.self) { connections in
                        do {
                            for try await upgrade in inbound {
                                connections.addTask {
                                    guard let (connection, head) = try? await upgrade.get() else {
                                        return
                                    }
                                    server.heads.withLock { $0.append(head) }
                                    await serve(connection)
                                    connection.drop()
                                }
                            }
                        } catch {}
                        connections.cancelAll()
                    }
                }
                defer { channel.channel.close(promise: nil) }
                return try await body(server)
            }
        }
    }
}

extension WebSocketConnection {
    /// Sends messages until the client ends the transport, whatever it says.
    package func sendForever() async {
        freeze()
        var number = 0
        repeat {
            number += 1
            try? await Task.sleep(for: .milliseconds(50))  // polls
        } while await isSent(#"{"id":"\#(number)","seq":\#(number)}"#)
    }

    private func isSent(_ text: String) async -> Bool {
        do throws(WebSocketSendError) {
            try await send(text: text)
            return true
        } catch {
            return false
        }
    }
}
