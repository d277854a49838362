import Client
import FoundationEssentials
import Observer
import Synchronization

@testable import Basics
@testable import Model
@testable import Platform
@testable import Profiles

/// A session store whose clock, network and vault are the test's.
final class StoreFixture: Sendable {
    let time = VirtualTimekeeper()
    let log = CallLog()
    let feed = ScriptedFeed()
    /// Whether another process holds the flight lock.
    let otherLock = OtherLock()
    /// Holds back the backend's answers.
    let gate = Gate()
    let store: SessionStore

    /// - Parameter lines: The dialect's feed; none unless given.
    /// - Throws: If the dialect cannot be read.
    init(feed lines: String = "") throws {
        let text = """
            name = "sketch"
            [login]
            request = "POST /login"
            credentials = ["password"]
            fields = { password = "{password}" }
            [login.response]
            access = "access"
            refresh = "refresh"
            access_expires = "seconds:expires_in"
            [refresh]
            request = "POST /refresh"
            token_in = "bearer"
            [refresh.response]
            access = "access"
            refresh = "refresh"
            access_expires = "seconds:expires_in"
            [[refresh.terminal]]
            status = 401
            [protected]
            request = "GET /me"
            \(lines)
            """
        store = SessionStore(
            profile: "sketch",
            dialect: try Dialect(toml: text, file: "sketch.toml"),
            baseURL: "http://127.0.0.1",
            requestEvery: nil,
            random: SeededGenerator(seed: 1),
            environment: SessionEnvironment(
                time: time,
                transport: ScriptedTransport(time: time, log: log, gate: gate),
                feed: feed,
                vault: LoggedVault(time: time, log: log, otherLock: otherLock),
                credentials: OnePassword(),
                fingerprinter: Fingerprinter(salt: [UInt8](repeating: 1, count: 16))
            )
        )
    }

    /// Runs the store while the body runs; the body's events begin with the first.
    func run(_ body: (EventReader) async throws -> Void) async throws {
        let reader = EventReader(store.events.events())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await self.store.run() }
            defer {
                group.cancelAll()
                gate.open()
            }
            try await body(reader)
        }
    }
}

extension StoreFixture {
    /// Waits until the store's timer sleeps for such an instant.
    func deadline(where isWanted: (Instant) -> Bool) async throws -> Instant {
        while true {
            try Task.checkCancellation()
            if let next = time.nextDeadline, isWanted(next) { return next }
            await Task.yield()
        }
    }
}

/// The events of a run, one after another.
final class EventReader {
    private var iterator: EventStream.Iterator
    private(set) var names: [String] = []

    init(_ events: EventStream) {
        iterator = events.makeAsyncIterator()
    }

    /// The next event of this name, or `nil` if the run ends before it.
    func next(_ name: String) async -> SessionEvent? {
        while let event = await iterator.next() {
            names.append(event.kind.name)
            if event.kind.name == name { return event }
        }
        return nil
    }
}

/// The calls, in order.
final class CallLog: Sendable {
    private let calls = Mutex<[String]>([])

    func record(_ call: String) {
        calls.withLock { $0.append(call) }
    }

    /// The calls since the last time.
    func take() -> [String] {
        calls.withLock { calls in
            defer { calls = [] }
            return calls
        }
    }
}

/// Holds up requests to some paths.
final class Gate: Sendable {
    private struct State {
        var closed: Set<String> = []
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func close(_ path: String) {
        _ = state.withLock { $0.closed.insert(path) }
    }

    /// Lets everything pass that waits, and what comes.
    func open() {
        let waiting = state.withLock { state in
            defer { state = State() }
            return state.waiting
        }
        for waiter in waiting { waiter.resume() }
    }

    func pass(to path: String) async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                guard state.closed.contains(path) else { return true }
                state.waiting.append(continuation)
                return false
            }
            if isOpen { continuation.resume() }
        }
    }
}

/// Answers each request at once, or once the gate is open, with a pair that lives for a minute, its access token with a quote
/// in it.
struct ScriptedTransport: TokenTransport {
    let time: VirtualTimekeeper
    let log: CallLog
    let gate: Gate
    private let pairs = Counter()

    init(time: VirtualTimekeeper, log: CallLog, gate: Gate) {
        self.time = time
        self.log = log
        self.gate = gate
    }

    func send(
        _ request: WireRequest,
        connection: ConnectionUse,
        deadline: Instant
    ) async -> TransportReport {
        log.record("\(request.method) \(request.target)")
        await gate.pass(to: request.target)
        let number = pairs.next()
        let body = #"{"access": "token\"\#(number)", "refresh": "r\#(number)", "expires_in": 60}"#
        return TransportReport(
            outcome: .answered(WireResponse(status: 200, body: Array(body.utf8))),
            sentAt: time.moment,
            endedAt: time.moment,
            timing: RequestTiming()
        )
    }

    func probe(deadline: Instant) async -> Bool { true }
}

private final class Counter: Sendable {
    private let value = Mutex(0)

    func next() -> Int {
        value.withLock { value in
            value += 1
            return value
        }
    }
}

/// Opens every socket at once, and keeps what is sent on it.
final class ScriptedFeed: FeedTransport {
    private let texts = AsyncStream.makeStream(of: String.self)
    /// The messages that the sockets bring as fast as they are read, and how many were.
    private let messages = Mutex((left: 0, read: 0))

    func bring(_ count: Int) {
        messages.withLock { $0.left = count }
    }

    /// The number of messages that were read.
    var read: Int { messages.withLock { $0.read } }

    func dial(_ request: FeedRequest, deadline: Instant) async -> FeedDialOutcome {
        .opened(ScriptedConnection(texts: texts.continuation, next: nextMessages))
    }

    private func nextMessages(atMost limit: Int) -> [String] {
        messages.withLock { messages in
            let count = min(messages.left, limit)
            messages.left -= count
            messages.read += count
            return Array(repeating: "message", count: count)
        }
    }

    /// The next text that is sent on a socket.
    func nextText() async -> String? {
        var iterator = texts.stream.makeAsyncIterator()
        return await iterator.next()
    }
}

private final class ScriptedConnection: FeedConnection {
    private let texts: AsyncStream<String>.Continuation
    private let next: @Sendable (Int) -> [String]
    private let events = AsyncStream.makeStream(of: FeedConnectionEvent.self)

    init(
        texts: AsyncStream<String>.Continuation,
        next: @escaping @Sendable (Int) -> [String]
    ) {
        self.texts = texts
        self.next = next
    }

    func nextEvents(atMost limit: Int) async -> [FeedConnectionEvent] {
        let messages = next(limit)
        guard messages.isEmpty else { return messages.map { .text($0) } }
        var iterator = events.stream.makeAsyncIterator()
        return [await iterator.next() ?? .closed(code: 1006, by: .transport, reason: "")]
    }

    func send(text: String) async { texts.yield(text) }

    func ping() async { events.continuation.yield(.pong) }
    func traffic() async -> FeedTraffic? { nil }

    func close(code: Int, reason: String) async {
        events.continuation.yield(.closed(code: code, by: .us, reason: reason))
    }

    func cut() async {
        events.continuation.yield(.closed(code: 1006, by: .transport, reason: ""))
    }
}

private struct OnePassword: CredentialSource {
    func credentials(named names: [String]) async throws(CredentialProblem) -> [String: Secret] {
        ["password": Secret("opensesame")]
    }
}

/// The flight lock, if another process holds it.
final class OtherLock: Sendable {
    private let state = Mutex(false)

    var isHeld: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

/// A vault in memory that logs what is asked of it.
private struct LoggedVault: Vault {
    let time: VirtualTimekeeper
    let log: CallLog
    let otherLock: OtherLock
    private let vault = MemoryVault()

    init(time: VirtualTimekeeper, log: CallLog, otherLock: OtherLock) {
        self.time = time
        self.log = log
        self.otherLock = otherLock
    }

    var place: String { vault.place }
    var notice: String? { nil }
    var storageLocation: StorageLocation? { nil }

    func load() async throws(VaultProblem) -> VaultRecord? {
        log.record("load")
        return try await vault.load()
    }

    func commit(_ commit: VaultCommit) async throws(VaultProblem) -> CommitVerdict {
        log.record(commit.record.journal == nil ? "commit" : "commit journal")
        return try await vault.commit(commit)
    }

    func check() async throws(VaultProblem) {}

    func lockFlight(
        holder: Int,
        timeout: Duration,
        whenHeld: @Sendable (_ holder: LockHolder?) async -> Void
    ) async -> Bool {
        log.record("lock")
        guard !otherLock.isHeld else {
            await whenHeld(nil)
            try? await time.sleep(until: time.now + timeout)
            return false
        }
        return await vault.lockFlight(holder: holder, timeout: timeout, whenHeld: whenHeld)
    }

    func unlockFlight(holder: Int) async {
        log.record("unlock")
        await vault.unlockFlight(holder: holder)
    }

    func erase(
        if isOver: (@Sendable (VaultRecord) -> Bool)?
    ) async throws(VaultProblem) -> Bool {
        try await vault.erase(if: isOver)
    }

    func changes() -> AsyncStream<Void> { vault.changes() }
}
