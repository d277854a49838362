import AsyncHTTPClient
import Basics
import FoundationEssentials
import HTTP
import NIOCore
import NIOHTTP1
import NIOPosix
import Profiles

@testable import Sandbox

/// A sandbox that listens, and a client to ask it with.
struct RunningSandbox: Sendable {
    static let fingerprinter = Fingerprinter(salt: Array(repeating: 3, count: 16))

    let server: SandboxServer
    let port: Int
    let http: HTTPClient

    /// Sends a request of a dialect under a prefix, such as `/bitbasel`.
    func send(_ request: WireRequest, under prefix: String = "") async throws -> WireResponse {
        var outgoing = HTTPClientRequest(
            url: "http://127.0.0.1:\(port)\(prefix)\(request.target)"
        )
        outgoing.method = .init(rawValue: request.method)
        outgoing.headers.add(contentsOf: request.headers.map { ($0.name, $0.value) })
        if !request.body.isEmpty { outgoing.body = .bytes(request.body) }
        let response = try await http.execute(outgoing, timeout: .seconds(20))
        return WireResponse(
            status: Int(response.status.code),
            headers: response.headers.map { WireHeader($0.name, $0.value) },
            body: Array(buffer: try await response.body.collect(upTo: 1 << 24))
        )
    }

    func get(_ target: String) async throws -> WireResponse {
        try await send(WireRequest(method: "GET", target: target))
    }

    /// Dials a feed under a prefix.
    func dial(
        _ feed: FeedRequest?,
        under prefix: String = ""
    ) async throws -> WebSocketDialResult {
        guard let feed else { throw Unexpected("no feed") }
        let dialer = WebSocketDialer(
            group: MultiThreadedEventLoopGroup.singleton,
            random: { .random(in: .min ... .max) }
        )
        let request = WebSocketRequest(
            scheme: .ws,
            host: "127.0.0.1",
            port: port,
            path: prefix + feed.target,
            headers: feed.headers.map { ($0.name, $0.value) },
            subprotocols: feed.subprotocols
        )
        return try await dialer.dial(request, timeout: .seconds(20))
    }

    /// Dials a feed that has to open.
    func open(_ feed: FeedRequest?, under prefix: String = "") async throws -> FeedClient {
        guard case .open(let connection, _) = try await dial(feed, under: prefix) else {
            throw Unexpected("the feed did not open")
        }
        return FeedClient(connection)
    }

    /// Over the wire, as any client may ask for it.
    func state() async throws -> SandboxState {
        let response = try await get("/__sandbox/state")
        return try JSONDecoder().decode(SandboxState.self, from: Data(response.body))
    }

    /// The state as soon as it is as asked for.
    ///
    /// A pause after each look leaves the machine to what is waited for: on a busy one, two
    /// thousand looks in a row were over before a socket's end had been served.
    func state(when isReached: (SandboxState) -> Bool) async throws -> SandboxState {
        var last: SandboxState?
        for _ in 0..<3000 {
            let state = try await state()
            if isReached(state) { return state }
            last = state
            try await Task.sleep(for: .milliseconds(10))  // polls
        }
        throw Unexpected("the sandbox stayed in \(last, default: "no state")")
    }
}

/// A result that should have been otherwise.
struct Unexpected: Error {
    let message: String
    init(_ message: String) { self.message = message }
}

/// Runs a sandbox on a free port for as long as `body` takes.
func withSandbox<Result: Sendable>(
    _ configuration: SandboxConfiguration = SandboxConfiguration(),
    dialects: [Dialect] = Dialect.builtIn(),
    timekeeper: any Timekeeper = LiveTimekeeper(),
    _ body: @escaping @Sendable (RunningSandbox) async throws -> Result
) async throws -> Result {
    var configuration = configuration
    configuration.port = 0
    let server = SandboxServer(
        configuration: configuration,
        dialects: dialects,
        timekeeper: timekeeper,
        seed: 1,
        fingerprinter: RunningSandbox.fingerprinter,
        group: MultiThreadedEventLoopGroup.singleton
    )
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    var clientConfiguration = HTTPClient.Configuration()
    clientConfiguration.redirectConfiguration = .disallow
    let http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: clientConfiguration)
    do {
        let result = try await withThrowingTaskGroup { group in
            group.addTask {
                defer { port.finish() }
                try await server.run { port.yield($0) }
            }
            guard let port = await ports.first(where: { _ in true }) else {
                try await group.next()
                throw Unexpected("the sandbox did not listen")
            }
            defer { group.cancelAll() }
            return try await body(RunningSandbox(server: server, port: port, http: http))
        }
        try await http.shutdown()
        return result
    } catch {
        try await http.shutdown()
        throw error
    }
}
