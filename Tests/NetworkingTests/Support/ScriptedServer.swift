import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A TCP server on 127.0.0.1 that does what a script says, byte by byte.
final class ScriptedServer: Sendable {
    enum Step: Sendable {
        /// Reads a request to the end of its body.
        case readRequest
        case send(String)
        case sendBytes(Int)
        /// Ends the connection with a RST.
        case reset
        /// Waits until the client ends the connection.
        case hold
    }

    private struct Log {
        var connections = 0
        var requests: [String] = []
        var beginnings: [String] = []
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

        mutating func takeSatisfied() -> [CheckedContinuation<Void, Never>] {
            let count = requests.count
            let satisfied = waiters.filter { $0.count <= count }.map(\.continuation)
            waiters.removeAll { $0.count <= count }
            return satisfied
        }
    }

    let port: Int
    private let log = Mutex(Log())

    private init(port: Int) {
        self.port = port
    }

    /// The requests read so far, as they came over the wire.
    var requests: [String] { log.withLock { $0.requests } }

    /// The first that came on each connection that was read from, whole request or not.
    var beginnings: [String] { log.withLock { $0.beginnings } }

    var connections: Int { log.withLock { $0.connections } }

    /// Waits until this many requests have been read.
    func waitForRequests(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let satisfied = log.withLock { log in
                log.waiters.append((count, continuation))
                return log.takeSatisfied()
            }
            for waiter in satisfied { waiter.resume() }
        }
    }

    /// Runs a server as long as `body` runs.
    ///
    /// Each connection in turn has its script, and the last is for all that follow; at the end of
    /// its script a connection is closed.
    static func run<Value: Sendable>(
        _ scripts: [[Step]],
        tls: NIOSSLContext? = nil,
        _ body: @Sendable (ScriptedServer) async throws -> Value
    ) async throws -> Value {
        let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(host: "127.0.0.1", port: 0) { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls {
                        let handler = NIOSSLServerHandler(context: tls)
                        try channel.pipeline.syncOperations.addHandler(handler)
                    }
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel
                    )
                }
            }
        let server = ScriptedServer(port: channel.channel.localAddress?.port ?? 0)
        return try await channel.executeThenClose { inbound in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await server.accept(inbound, scripts) }
                // Without cancelling: what is accepted and never looked at cannot be let go.
                defer { channel.channel.close(promise: nil) }
                return try await body(server)
            }
        }
    }

    private func accept(
        _ inbound: NIOAsyncChannelInboundStream<NIOAsyncChannel<ByteBuffer, ByteBuffer>>,
        _ scripts: [[Step]]
    ) async {
        await withTaskGroup(of: Void.self) { group in
            do {
                for try await connection in inbound {
                    let number = log.withLock { log in
                        log.connections += 1
                        return log.connections
                    }
                    let script = scripts[min(number, scripts.count) - 1]
                    group.addTask { try? await self.play(script, on: connection) }
                }
            } catch {}
            group.cancelAll()
        }
    }

    private func play(
        _ script: [Step],
        on connection: NIOAsyncChannel<ByteBuffer, ByteBuffer>
    ) async throws {
        try await connection.executeThenClose { inbound, outbound in
            var bytes = inbound.makeAsyncIterator()
            for step in script {
                switch step {
                case .readRequest:
                    guard let request = try await readRequest(&bytes) else { return }
                    let satisfied = log.withLock { log in
                        log.requests.append(request)
                        return log.takeSatisfied()
                    }
                    for waiter in satisfied { waiter.resume() }
                case .send(let text):
                    try await outbound.write(ByteBuffer(string: text))
                case .sendBytes(let count):
                    try await outbound.write(ByteBuffer(repeating: 0x78, count: count))
                case .reset:
                    try await Self.reset(connection.channel)
                    return
                case .hold:
                    while try await bytes.next() != nil {}
                }
            }
        }
    }

    /// Closes below TLS, which would say goodbye.
    private static func reset(_ channel: any Channel) async throws {
        let options = channel as? any SocketOptionProvider
        try await options?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        try await channel.eventLoop.submit {
            let operations = channel.pipeline.syncOperations
            if let tls = try? operations.context(handlerType: NIOSSLServerHandler.self) {
                tls.close(mode: .all, promise: nil)
            } else {
                channel.close(mode: .all, promise: nil)
            }
        }.get()
    }

    /// Nil when the client ends the connection first.
    private func readRequest(
        _ bytes: inout NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    ) async throws -> String? {
        var text = ""
        while let part = try await bytes.next() {
            if text.isEmpty { log.withLock { $0.beginnings.append(String(buffer: part)) } }
            text += String(buffer: part)
            guard let end = text.firstRange(of: "\r\n\r\n") else { continue }
            let length = text[..<end.lowerBound].lowercased()
                .split(separator: "\r\n")
                .first { $0.hasPrefix("content-length:") }
                .flatMap { Int($0.dropFirst(15).drop { $0 == " " }) }
            if text[end.upperBound...].utf8.count >= length ?? 0 { return text }
        }
        return nil
    }
}
