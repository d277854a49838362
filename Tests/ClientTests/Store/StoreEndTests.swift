import FoundationEssentials
import Model
import Observer
import Profiles
import Testing

@testable import Basics
@testable import Client
@testable import Platform

@Suite("SessionStore: its end")
struct StoreEndTests {
    @Test("a caller during the end is refused, and delays nothing", .timeLimit(.minutes(20)))
    func requestDuringTheEnd() async throws {
        let dialect = try #require(Dialect.builtIn().first { $0.name == "bitbasel" })
        let transport = DeafTransport()
        let store = SessionStore(
            profile: "bitbasel",
            dialect: dialect,
            baseURL: "http://127.0.0.1",
            requestEvery: nil,
            random: SeededGenerator(seed: 1),
            environment: SessionEnvironment(
                time: VirtualTimekeeper(),
                transport: transport,
                feed: NoFeed(),
                vault: MemoryVault(),
                credentials: NoCredentials(),
                fingerprinter: Fingerprinter(salt: [UInt8](repeating: 1, count: 16))
            )
        )
        let run = Task { await store.run() }
        await transport.called()
        run.cancel()
        // The login is still in progress and deaf to the cancellation, as an answer that has just
        // come in would be.
        #expect(await store.sendRequest(why: .user) == .noToken(.cancelled))
        transport.release()
        await run.value
    }
}

/// Does not answer before it is released, cancelled or not.
private final class DeafTransport: TokenTransport {
    private let calls = AsyncStream.makeStream(of: Void.self)
    private let releases = AsyncStream.makeStream(of: Void.self)

    func called() async {
        for await _ in calls.stream { return }
    }

    func release() {
        releases.continuation.finish()
    }

    func send(
        _ request: WireRequest,
        connection: ConnectionUse,
        deadline: Instant
    ) async -> TransportReport {
        calls.continuation.yield()
        let stream = releases.stream
        await Task { for await _ in stream {} }.value
        let moment = Moment(now: .origin, wall: Date(timeIntervalSince1970: 0))
        return TransportReport(
            outcome: .notSent(.unreachable(detail: "released")),
            sentAt: moment,
            endedAt: moment,
            timing: RequestTiming()
        )
    }

    func probe(deadline: Instant) async -> Bool { false }
}

private struct NoFeed: FeedTransport {
    func dial(_ request: FeedRequest, deadline: Instant) async -> FeedDialOutcome {
        .failed(detail: "none")
    }
}

private struct NoCredentials: CredentialSource {
    func credentials(named names: [String]) async throws(CredentialProblem) -> [String: Secret] {
        ["identity_token": Secret("sandbox")]
    }
}
