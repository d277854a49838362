package import Client
package import Model
import NIOCore
import NIOHTTP1
import NIOPosix

/// An HTTP server on 127.0.0.1 that answers the redirects of a sign-in (RFC 8252 section 7.3).
package struct LoopbackRedirects: RedirectReceiver {
    private typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>
    private typealias Answer = @Sendable (String) -> RedirectPage

    /// Browsers open a few connections, some of which they do not use.
    private static let backlog: Int32 = 16

    private let group: any EventLoopGroup

    init(on group: any EventLoopGroup) {
        self.group = group
    }

    package func receive(
        on port: Int?,
        begin: @Sendable (Int) async -> (@Sendable (String) -> RedirectPage)
    ) async throws(AuthorizationFailure) {
        let server = try await listen(on: port)
        let answer = await begin(server.channel.localAddress?.port ?? 0)
        // Fails only if the task is cancelled, or the browser closes its connection early.
        try? await server.executeThenClose { connections in
            await serve(connections, answer)
        }
    }

    private func listen(
        on port: Int?
    ) async throws(AuthorizationFailure) -> NIOAsyncChannel<Connection, Never> {
        do {
            return try await ServerBootstrap(group: group)
                .pausingWhenExhausted()
                .serverChannelOption(.backlog, value: Self.backlog)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .bind(host: "127.0.0.1", port: port ?? 0) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.configureHTTPServerPipeline(
                            withPipeliningAssistance: false
                        )
                        return try Connection(wrappingChannelSynchronously: channel)
                    }
                }
        } catch let error as IOError {
            let fault = NetworkFault.text(ofListening: error.errnoCode)
            throw .notListening(detail: port.map { "port \($0): \(fault)" } ?? fault)
        } catch {
            throw .notListening(detail: "no port on 127.0.0.1 can be used")
        }
    }

    /// Serves connections concurrently until an answer is the last one.
    private func serve(
        _ connections: NIOAsyncChannelInboundStream<Connection>,
        _ answer: @escaping Answer
    ) async {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await withDiscardingTaskGroup { connected in
                    do {
                        for try await connection in connections {
                            connected.addTask {
                                if await Self.serve(connection, answer) { end.finish() }
                            }
                        }
                    } catch {
                        // The server was closed.
                    }
                }
            }
            group.addTask { for await _ in ends {} }
            await group.next()
            group.cancelAll()
        }
    }

    /// Answers the first request of a connection.
    ///
    /// - Returns: Whether the answer was the last one.
    private static func serve(_ connection: Connection, _ answer: Answer) async -> Bool {
        var isLast = false
        try? await connection.executeThenClose { inbound, outbound in
            for try await case .head(let head) in inbound {
                let page = head.method == .GET ? answer(head.uri) : .notFound
                isLast = page.isLast
                let body = ByteBuffer(string: page.html)
                var headers = HTTPHeaders(fixed)
                headers.add(name: "Content-Length", value: "\(body.readableBytes)")
                let status = HTTPResponseStatus(statusCode: page.status)
                try await outbound.write(
                    contentsOf: [
                        .head(
                            HTTPResponseHead(version: .http1_1, status: status, headers: headers)
                        ),
                        .body(.byteBuffer(body)),
                        .end(nil),
                    ]
                )
                return
            }
        }
        return isLast
    }

    /// The page contains no script, and its address, which contains the code, is not passed on.
    private static let fixed = [
        ("Content-Type", "text/html; charset=utf-8"),
        ("Cache-Control", "no-store"),
        ("Connection", "close"),
        ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'"),
        ("Referrer-Policy", "no-referrer"),
        ("X-Content-Type-Options", "nosniff"),
    ]
}
