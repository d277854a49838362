import Profiles
import Testing

@testable import Basics
@testable import Client
@testable import Model
@testable import Observer

@Suite("The store of an app's sessions", .timeLimit(.minutes(20)))
struct ObservationStoreTests {
    private let time = VirtualTimekeeper()
    private let store: ObservationStore

    init() {
        store = Self.store(time)
    }

    private static func store(
        _ time: any Timekeeper,
        queue: TrafficQueue = TrafficQueue(),
        pause: Duration = .zero
    ) -> ObservationStore {
        ObservationStore(
            reader: TrafficReader(
                fingerprinter: Fingerprinter(salt: Array(repeating: 7, count: 16))
            ),
            machine: ObservationMachine(
                ObservationMachine.Configuration(
                    profile: "app",
                    baseURL: "https://api.example.com"
                )
            ),
            time: time,
            queue: queue,
            pause: pause
        )
    }

    private func run(
        _ store: ObservationStore? = nil,
        _ body: (EventReader) async throws -> Void
    ) async throws {
        let store = store ?? self.store
        let events = EventReader(store.events.events())
        let run = Task { await store.run() }
        try await body(events)
        run.cancel()
        await run.value
    }

    private func logIn(_ exchange: Int, at store: ObservationStore? = nil) {
        let store = store ?? self.store
        store.take(
            TrafficInput(
                exchange: exchange,
                kind: .requestHead(
                    WireRequest(
                        method: "POST",
                        origin: "https://api.example.com",
                        target: "/login",
                        headers: [WireHeader("Content-Type", "application/json")]
                    ),
                    connection: 1,
                    peer: "127.0.0.1"
                )
            )
        )
        let credentials = Array(#"{"password": "correct"}"#.utf8)
        store.take(TrafficInput(exchange: exchange, kind: .requestBody(credentials)))
        store.take(TrafficInput(exchange: exchange, kind: .requestEnd(bytes: credentials.count)))
        store.take(
            TrafficInput(
                exchange: exchange,
                kind: .responseHead(WireResponse(status: 200))
            )
        )
        let tokens = Array(#"{"access_token": "token-of-the-app", "expires_in": 60}"#.utf8)
        store.take(TrafficInput(exchange: exchange, kind: .responseBody(tokens)))
        store.take(TrafficInput(exchange: exchange, kind: .responseEnd(bytes: tokens.count)))
        store.take(TrafficInput(exchange: exchange, kind: .delivered(whole: true)))
    }

    @Test("reads the traffic in its order, and sends a session's events under its number")
    func order() async throws {
        try await run { events in
            logIn(1)
            let issued = try #require(await events.next("tokensIssued"))
            #expect(issued.session == SessionID("1"))
            #expect(events.names.first == "capabilities")
            #expect(events.names.contains("request"))
            #expect(await store.findings.map(\.rule) == ["no-store"])
        }
    }

    @Test("lets the machine know when time alone changes something")
    func timer() async throws {
        try await run { events in
            logIn(1)
            _ = try #require(await events.next("tokensIssued"))
            let live = try #require(await events.next("standing"))
            #expect(
                live.kind as? ObservedStatus == .live(until: Instant.origin + .seconds(60))
            )
            while time.nextDeadline.map({ $0 > Instant.origin + .seconds(60) }) ?? true {
                await Task.yield()
            }
            time.advance(by: .seconds(61))
            let expired = try #require(await events.next("standing"))
            #expect(expired.kind as? ObservedStatus == ObservedStatus.expired)
        }
    }

    @Test("after what was read at once, traffic gathers for a pause, unless there is much of it")
    func pause() async throws {
        let queue = TrafficQueue()
        let store = Self.store(time, queue: queue, pause: .milliseconds(8))
        let isPausing = { until in
            // polls
            while time.nextDeadline != Instant.origin + .milliseconds(until) { await Task.yield() }
        }
        try await run(store) { events in
            logIn(1, at: store)
            _ = try #require(await events.next("tokensIssued"))
            await isPausing(8)
            for exchange in 2...11 { logIn(exchange, at: store) }
            #expect(queue.count == 70)
            time.advance(by: .milliseconds(8))
            // Two batches of 32 are read without another pause between them.
            await isPausing(16)
            #expect(queue.count == 6)
            for _ in 2...10 { _ = try #require(await events.next("request")) }
            time.advance(by: .milliseconds(8))
            await isPausing(24)
            #expect(queue.count == 0)
        }
    }

    @Test("reads what came before its end, and then ends every reader")
    func ending() async throws {
        let events = EventReader(store.events.events())
        logIn(1)
        let run = Task { await store.run() }
        run.cancel()
        await run.value
        #expect(await events.next("tokensIssued") != nil)
        #expect(await events.next("nothing") == nil)
    }
}
