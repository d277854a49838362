import Basics
import Glibc
package import NIOCore
import NIOHTTP1
import NIOPosix
package import Profiles

/// An HTTP server, on 127.0.0.1 if not told otherwise, that answers the first request of each
/// connection.
package struct LoopbackServer: Sendable {
    /// Answers a request; the last answer ends the server.
    package typealias Responder = @Sendable (WireRequest) async -> (WireResponse, isLast: Bool)

    private typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

    /// Browsers open a few connections, some of which they do not use.
    private static let backlog: Int32 = 16
    /// The longest body of a request, in bytes.
    private static let bodyLimit = 64 << 10

    private let listener: NIOAsyncChannel<Connection, Never>

    /// Begins to listen; connections wait until `run`.
    ///
    /// - Parameters:
    ///   - host: The address of this machine.
    ///   - port: The port; 0 chooses a free one.
    ///   - limit: The time that a connection may stay open.
    ///   - group: Runs the connections.
    /// - Throws: If the port cannot be used, mostly an `IOError`.
    package init(
        at host: String = "127.0.0.1",
        port: Int,
        within limit: Duration,
        on group: any EventLoopGroup
    ) async throws {
        listener = try await ServerBootstrap(group: group)
            .pausingWhenExhausted()
            .serverChannelOption(.backlog, value: Self.backlog)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(host: host, port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let end = channel.eventLoop.scheduleTask(in: TimeAmount(limit)) {
                        channel.close(promise: nil)
                    }
                    channel.closeFuture.whenComplete { _ in end.cancel() }
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(
                        withPipeliningAssistance: false
                    )
                    return try Connection(wrappingChannelSynchronously: channel)
                }
            }
    }

    package var port: Int { listener.channel.localAddress?.port ?? 0 }

    /// Serves connections concurrently until an answer is the last one, or the task is cancelled.
    ///
    /// - Parameters:
    ///   - answersOtherUsers: Whether programs of other users of this machine get answers too.
    ///   - respond: Answers each request.
    package func run(
        answersOtherUsers: Bool = true,
        _ respond: @escaping Responder
    ) async {
        // Fails only if the task is cancelled.
        try? await listener.executeThenClose { connections in
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    await withDiscardingTaskGroup { connected in
                        do {
                            for try await connection in connections {
                                connected.addTask {
                                    let isLast = await Self.serve(connection) { request in
                                        if !answersOtherUsers, await !Self.isOwn(connection) {
                                            return (Self.otherUser, false)
                                        }
                                        return await respond(request)
                                    }
                                    if isLast { end.finish() }
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
    }

    private static let otherUser = WireResponse.json(
        [
            "error": .string(
                "refused a program of another user of this machine, or of one not known"
            )
        ],
        status: 403
    )

    /// Whether the program at the other end of a connection is one of this user.
    private static func isOwn(_ connection: Connection) async -> Bool {
        guard let peer = connection.channel.remoteAddress,
            let own = connection.channel.localAddress,
            let peerPort = peer.port, let ownPort = own.port, let host = peer.ipAddress,
            let ownHost = own.ipAddress
        else { return false }
        let isOwn = try? await BlockingQueue().run {
            SocketTable.present.user(from: (host, peerPort), to: (ownHost, ownPort)) == getuid()
        }
        return isOwn ?? false
    }

    /// - Returns: Whether the answer was the last one.
    private static func serve(_ connection: Connection, _ respond: Responder) async -> Bool {
        var isLast = false
        // Fails if the client closes its connection early, or sends what is no request.
        try? await connection.executeThenClose { inbound, outbound in
            guard let request = try await request(from: inbound) else { return }
            let response: WireResponse
            if request.body.count > bodyLimit {
                response = .json(
                    ["error": .string("expected a body of at most \(bodyLimit >> 10) KiB")],
                    status: 413
                )
            } else {
                (response, isLast) = await respond(request)
            }
            try await outbound.write(contentsOf: parts(of: response))
        }
        return isLast
    }

    /// Reads to the end of a request, and keeps at most one part of its body beyond the limit.
    private static func request(
        from inbound: NIOAsyncChannelInboundStream<HTTPServerRequestPart>
    ) async throws -> WireRequest? {
        var request: WireRequest?
        for try await part in inbound {
            switch part {
            case .head(let head):
                request = WireRequest(
                    method: head.method.rawValue,
                    target: head.uri,
                    headers: head.headers.map { WireHeader($0.name, $0.value) }
                )
            case .body(let bytes):
                guard let count = request?.body.count, count <= bodyLimit else { continue }
                request?.body += bytes.readableBytesView
            case .end: return request
            }
        }
        return nil
    }

    private static func parts(of response: WireResponse) -> [HTTPServerResponsePart] {
        var headers = HTTPHeaders(response.headers.map { ($0.name, $0.value) })
        headers.add(name: "Content-Length", value: "\(response.body.count)")
        headers.add(name: "Cache-Control", value: "no-store")
        headers.add(name: "Connection", value: "close")
        let status = HTTPResponseStatus(statusCode: response.status)
        return [
            .head(HTTPResponseHead(version: .http1_1, status: status, headers: headers)),
            .body(.byteBuffer(ByteBuffer(bytes: response.body))),
            .end(nil),
        ]
    }
}
