import AsyncHTTPClient
import Basics
import HTTP
import Logging
import NIOCore
import NIOPosix
import Profiles
import ServiceLifecycle
import Testing

@testable import Backend
@testable import Sandbox

@Suite("Sandbox: its beginning and its end")
struct LifecycleTests {
    @Test("a port in use is named")
    func portInUse() async throws {
        try await withSandbox { sandbox in
            let second = SandboxServer(
                configuration: SandboxConfiguration(port: sandbox.port),
                dialects: [],
                timekeeper: LiveTimekeeper(),
                seed: 1,
                fingerprinter: RunningSandbox.fingerprinter,
                group: MultiThreadedEventLoopGroup.singleton
            )
            await #expect(
                throws: SandboxFailure.portInUse(host: "127.0.0.1", port: sandbox.port)
            ) {
                try await second.run()
            }
        }
    }

    @Test("a host that is not ours is named", arguments: ["192.0.2.1", "no-such-host.invalid"])
    func hostUnusable(host: String) async throws {
        let server = SandboxServer(
            configuration: SandboxConfiguration(host: host, port: 0),
            dialects: [],
            timekeeper: LiveTimekeeper(),
            seed: 1,
            fingerprinter: RunningSandbox.fingerprinter,
            group: MultiThreadedEventLoopGroup.singleton
        )
        await #expect(throws: SandboxFailure.hostUnusable(host)) { try await server.run() }
    }

    @Test("it ends at once, closing open feeds with 1001 and whatever else is open")
    func end() async throws {
        let dialect = try dialect("bitbasel")
        let (feed, silent) = try await withSandbox { sandbox in
            let tokens = try await sandbox.login(dialect)
            let result = try await sandbox.dial(
                dialect.feedRequest(tokens.access, since: nil),
                under: "/bitbasel"
            )
            guard case .open(let connection, _) = result else { throw Unexpected("refused") }
            _ = try await sandbox.state { $0.sockets.count == 1 }
            // Connected, and says nothing.
            let silent = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(host: "127.0.0.1", port: sandbox.port)
                .get()
            return (connection, silent)
        }
        let report = try await FeedClient(feed).drain()
        #expect(report.code == 1001)
        #expect(report.initiator == .peer)
        try await silent.closeFuture.get()
    }

    @Test("a graceful shutdown ends it as a cancellation does")
    func gracefulShutdown() async throws {
        let dialect = try dialect("bitbasel")
        let server = SandboxServer(
            configuration: SandboxConfiguration(port: 0),
            dialects: [dialect],
            timekeeper: LiveTimekeeper(),
            seed: 1,
            fingerprinter: RunningSandbox.fingerprinter,
            group: MultiThreadedEventLoopGroup.singleton
        )
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let services = ServiceGroup(
            configuration: .init(
                services: [SandboxService(server: server, onReady: { port.yield($0) })],
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
        )
        let http = HTTPClient(eventLoopGroupProvider: .singleton)
        try await withThrowingTaskGroup { group in
            group.addTask { try await services.run() }
            let port = try #require(await ports.first { _ in true })
            let sandbox = RunningSandbox(server: server, port: port, http: http)
            let tokens = try await sandbox.login(dialect)
            let request = dialect.feedRequest(tokens.access, since: nil)
            let feed = try await sandbox.open(request, under: "/bitbasel")
            _ = try await sandbox.state { $0.sockets.count == 1 }
            await services.triggerGracefulShutdown()
            #expect(try await feed.drain().code == 1001)
            try await group.waitForAll()
        }
        try await http.shutdown()
    }

    @Test("a first request that is not HTTP is a 400, and the end of the connection")
    func garbage() async throws {
        try await withSandbox { sandbox in
            // Bytes that would be sent after the answer would be reset by the end of the
            // connection.
            let answer = try await sandbox.exchange(raw: "garbage\r\n\r\n", inPieces: false)
            #expect(answer.hasPrefix("HTTP/1.1 400"))
        }
    }

    @Test("a connection that says nothing and hangs up is let go")
    func hangsUp() async throws {
        try await withSandbox { sandbox in
            let answer = try await sandbox.exchange(raw: "")
            #expect(answer.isEmpty)
        }
    }

    @Test("a request and an upgrade, sent together and in pieces, are both answered")
    func pipelined() async throws {
        try await withSandbox { sandbox in
            let answer = try await sandbox.exchange(
                raw: """
                    GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n\
                    GET /bitbasel/ws/feed HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n\
                    Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
                    Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n
                    """
            )
            #expect(answer.contains("HTTP/1.1 404"))
            #expect(answer.contains("HTTP/1.1 403"))
        }
    }

    @Test("what it tells about itself matches what was done, and holds no token")
    func state() async throws {
        let dialect = try dialect("voltyks")
        try await withSandbox { sandbox in
            let first = try await sandbox.login(dialect)
            let second = try await sandbox.renewed(dialect, first.refresh)
            _ = try await sandbox.refresh(dialect, first.refresh)
            _ = try await sandbox.opens(dialect, second.access)
            let feed = try await sandbox.open(
                dialect.feedRequest(second.access, since: nil),
                under: "/voltyks"
            )
            let state = try await sandbox.state { $0.sockets.count == 1 }
            #expect(state.sockets[0].generation == 2)
            #expect(state.sockets[0].family == state.backend.sessions[0].family)
            let session = state.backend.sessions[0]
            let fingerprinter = RunningSandbox.fingerprinter
            #expect(session.access == fingerprinter.fingerprint(of: second.access).digits)
            #expect(
                session.refresh == second.refresh.map { fingerprinter.fingerprint(of: $0).digits }
            )
            #expect(session.spent == 1)
            let counters = try #require(state.backend.counters["voltyks"])
            #expect(counters.logins == 1)
            #expect(counters.refreshes == 1)
            #expect(counters.refreshesRefused == ["spent": 1])
            #expect(counters.reuses == 1)
            #expect(counters.protected == 1)
            #expect(counters.feedsOpened == 1)
            let text = String(
                decoding: try await sandbox.get("/__sandbox/state").body,
                as: UTF8.self
            )
            for token in [first, second] {
                #expect(!text.contains(token.access.secret.reveal().suffix(12)))
                #expect(!text.contains(try #require(token.refresh).secret.reveal().prefix(12)))
            }
            await feed.connection.close()
        }
    }
}

private struct SandboxService: Service {
    let server: SandboxServer
    let onReady: @Sendable (Int) -> Void

    func run() async throws {
        try await server.run { onReady($0) }
    }
}
