import Backend
import Basics
import Client
import Model
import Profiles
import Synchronization

@testable import Platform

/// A real store on a real sandbox: real sockets and clocks, a vault in memory.
///
/// - Parameters:
///   - dialect: The dialect that the sandbox speaks.
///   - sandbox: The sandbox.
///   - feedPort: Where the feed is, if not on the sandbox.
///   - spoiler: Spoils the tokens of requests.
///   - body: Gets the store once it has a token, and all its events; the session ends with it.
/// - Throws: Any error that `body` throws.
func withStore(
    _ dialect: Dialect,
    on sandbox: RunningSandbox,
    feedPort: Int? = nil,
    spoiling spoiler: TokenSpoiler = TokenSpoiler(requests: 0),
    _ body: @escaping @Sendable (SessionStore, EventStream) async throws -> Void
) async throws {
    let time = LiveTimekeeper()
    let configuration = NetworkConfiguration(
        timekeeper: time,
        random: { .random(in: .min ... .max) }
    )
    try await withNetwork(configuration) { network in
        let base = "http://127.0.0.1:\(sandbox.port)/\(dialect.name)"
        let origin = try BackendOrigin(parsing: base)
        let environment = SessionEnvironment(
            time: time,
            transport: SpoilingTransport(
                transport: network.tokenTransport(to: origin),
                spoiler: spoiler
            ),
            feed: try network.feedTransport(
                to: feedPort.map { try BackendOrigin(parsing: "http://127.0.0.1:\($0)") } ?? origin
            ),
            vault: MemoryVault(),
            credentials: SandboxCredentials(),
            fingerprinter: RunningSandbox.fingerprinter
        )
        let store = SessionStore(
            profile: dialect.name,
            dialect: dialect,
            baseURL: base,
            requestEvery: nil,
            random: SeededGenerator(seed: 1),
            environment: environment
        )
        let events = store.events.events()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await store.run() }
            group.addTask {
                _ = try await store.freshToken(by: time.now + .seconds(60))
                try await body(store, events)
            }
            try await group.next()
            group.cancelAll()
        }
    }
}

private struct SandboxCredentials: CredentialSource {
    func credentials(named names: [String]) async throws(CredentialProblem) -> [String: Secret] {
        Account.sandbox.credentials
    }
}

/// Spoils the access token of the next protected requests, so that a live backend refuses them.
final class TokenSpoiler: Sendable {
    private let left: Mutex<Int>

    init(requests: Int) {
        left = Mutex(requests)
    }

    func takes(_ request: WireRequest) -> Bool {
        guard request.method == "GET" else { return false }
        return left.withLock { left in
            guard left > 0 else { return false }
            left -= 1
            return true
        }
    }
}

private struct SpoilingTransport: TokenTransport {
    let transport: any TokenTransport
    let spoiler: TokenSpoiler

    func send(
        _ request: WireRequest,
        connection: ConnectionUse,
        deadline: Instant
    ) async -> TransportReport {
        var request = request
        if spoiler.takes(request) {
            request.headers = request.headers.map { header in
                header.name.lowercased() == "authorization"
                    ? WireHeader(header.name, "Bearer spoiled") : header
            }
        }
        return await transport.send(request, connection: connection, deadline: deadline)
    }

    func probe(deadline: Instant) async -> Bool {
        await transport.probe(deadline: deadline)
    }
}
