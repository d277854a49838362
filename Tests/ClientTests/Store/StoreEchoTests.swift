import Client
import Model
import Observer
import Testing

@testable import Basics
@testable import Platform
@testable import Profiles

@Suite("SessionStore: what a refusal repeats", .timeLimit(.minutes(20)))
struct StoreEchoTests {
    private static let profile = """
        name = "sketch"
        error_message = "message"
        [login]
        request = "POST /login"
        credentials = ["password"]
        client_auth = "body"
        fields = { password = "{password}" }
        [login.response]
        access = "access"
        [protected]
        request = "GET /me"
        """

    @Test("is hidden, also where the credentials were not known before the login")
    func typed() async throws {
        let time = VirtualTimekeeper()
        let store = SessionStore(
            profile: "sketch",
            dialect: try Dialect(toml: Self.profile, file: "sketch.toml"),
            baseURL: "http://127.0.0.1",
            requestEvery: nil,
            random: SeededGenerator(seed: 1),
            environment: SessionEnvironment(
                time: time,
                transport: Repeating(time: time),
                feed: NoFeed(),
                vault: MemoryVault(),
                credentials: Typed(),
                fingerprinter: Fingerprinter(salt: [UInt8](repeating: 1, count: 16))
            )
        )
        let events = EventReader(store.events.events())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await store.run() }
            defer { group.cancelAll() }
            let failed = try #require(await events.next("loginFailed"))
            let text = String(describing: failed.kind)
            #expect(text.contains("‹password›") && text.contains("‹client secret›"))
            #expect(!text.contains("opensesame") && !text.contains("s3cret"))
        }
    }
}

/// Known once the user is asked.
private struct Typed: CredentialSource {
    func credentials(named names: [String]) async throws(CredentialProblem) -> [String: Secret] {
        guard !names.isEmpty else { return [:] }
        return [
            "password": Secret("opensesame"), "client_id": Secret("me"),
            "client_secret": Secret("s3cret"),
        ]
    }
}

/// Refuses each request with what it holds.
private struct Repeating: TokenTransport {
    let time: VirtualTimekeeper

    func send(
        _ request: WireRequest,
        connection: ConnectionUse,
        deadline: Instant
    ) async -> TransportReport {
        let body = JSONValue.object([
            "message": .string(String(decoding: request.body, as: UTF8.self))
        ])
        return TransportReport(
            outcome: .answered(WireResponse(status: 401, body: Array(body.serialized.utf8))),
            sentAt: time.moment,
            endedAt: time.moment,
            timing: RequestTiming()
        )
    }

    func probe(deadline: Instant) async -> Bool { true }
}

private struct NoFeed: FeedTransport {
    func dial(_ request: FeedRequest, deadline: Instant) async -> FeedDialOutcome {
        .failed(detail: "there is none")
    }
}
