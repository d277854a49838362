import Dialects
import Foundation
import Lifecycle
import Networking
import Sessions
import Synchronization
import Testing
import Timekeeping

/// The whole way of an answer, from the socket to its outcome, under hostile bytes.
///
/// By hand: `AUTHTOP_RAW_ANSWERS=1000000 swift test --filter RawResponseTests`, and with
/// `AUTHTOP_SEED` the same bytes once more. A crash is the end of the process.
@Suite("Network: raw answers", .timeLimit(.minutes(60)))
struct RawResponseTests {
    private static let variables = ProcessInfo.processInfo.environment
    private static let count = variables["AUTHTOP_RAW_ANSWERS"].flatMap { UInt64($0) } ?? 3000
    /// Few among other tests, which need the processor too.
    private static let lanes = count > 10_000 ? 64 : 8
    /// For what stays open without an end; longer than any answer takes.
    private static let limit = Duration.milliseconds(250)

    @Test("no answer crashes, hangs or grows the client")
    func hostile() async throws {
        let seed =
            Self.variables["AUTHTOP_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0..<1 << 32)
        print("seed \(seed), \(Self.count) answers")
        let tally = Tally(total: Self.count)
        try await RawResponseServer.run(seed: seed) { server in
            // A fixed key, so that some dials are accepted.
            let configuration = NetworkConfiguration(timekeeper: liveTime, random: { 0 })
            try await withNetwork(configuration) { network in
                let origin = try BackendOrigin(parsing: "http://127.0.0.1:\(server.port)")
                let transport = network.tokenTransport(to: origin)
                let feed = try network.feedTransport(to: origin)
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<Self.lanes {
                        group.addTask {
                            while let number = tally.next() {
                                tally.count(await Self.ask(number, transport, feed))
                            }
                        }
                    }
                }
            }
        }
        print(tally.summary)
        #expect(tally.ended == Self.count)
        #expect(tally.crossed("answered") > 0)
        #expect(tally.crossed("status") > 0)
    }

    /// What came of one request; every eighth dials the feed.
    private static func ask(
        _ number: UInt64,
        _ transport: HTTPTokenTransport,
        _ feed: any FeedTransport
    ) async -> String {
        let deadline = liveTime.now + limit
        guard number % 8 != 0 else {
            let request = FeedRequest(target: "/\(number)", shownTarget: "")
            switch await feed.dial(request, deadline: deadline) {
            case .opened(let connection):
                await connection.close(code: 1000, reason: "")
                return "feed opened"
            case .refused: return "feed refused"
            case .failed(let message): return "feed failed: \(message)"
            }
        }
        let methods = ["POST", "POST", "GET", "HEAD"]
        var request = WireRequest.refresh
        request.method = methods[Int(number % 4)]
        if request.method != "POST" { request.body = [] }
        request.target = "/\(number)"
        let use: ConnectionUse = number % 3 == 0 ? .shared : .own
        let report = await transport.send(request, connection: use, deadline: deadline)
        switch report.outcome {
        case .answered(let answer): return "answered \(answer.status / 100)xx"
        case .notSent(let cause): return "not sent: \(cause)"
        case .unanswered(let message): return "unanswered: \(message)"
        }
    }
}

/// Counts what came of the requests, and prints how it goes.
private final class Tally: Sendable {
    private struct State {
        var begun: UInt64 = 0
        var ended: UInt64 = 0
        var outcomes: [String: Int] = [:]
    }

    private let total: UInt64
    private let start = liveTime.now
    private let state = Mutex(State())

    init(total: UInt64) {
        self.total = total
    }

    var ended: UInt64 { state.withLock { $0.ended } }

    /// The number of the next request, from 1.
    func next() -> UInt64? {
        state.withLock { state in
            guard state.begun < total else { return nil }
            state.begun += 1
            return state.begun
        }
    }

    func count(_ outcome: String) {
        // Ports and statuses aside.
        let kind = outcome.replacing(/127\.0\.0\.1:\d+/, with: "peer")
            .replacing(/status \d+/, with: "status …")
        let ended = state.withLock { state in
            state.ended += 1
            state.outcomes[kind, default: 0] += 1
            return state.ended
        }
        if ended % max(1, total / 20) == 0 { print(line(at: ended)) }
    }

    /// How many outcomes contain this text.
    func crossed(_ text: String) -> Int {
        state.withLock { $0.outcomes.filter { $0.key.contains(text) }.values.reduce(0, +) }
    }

    var summary: String {
        let outcomes = state.withLock { $0.outcomes }
        return outcomes.sorted { $0.value > $1.value }
            .map { "\($0.value) \($0.key)" }
            .joined(separator: "\n")
    }

    private func line(at ended: UInt64) -> String {
        let seconds = max(0.001, liveTime.now.seconds(since: start))
        let rate = Int(Double(ended) / seconds)
        return "\(ended) answers in \(Int(seconds)) s, \(rate)/s, \(Self.residentKiB) KiB resident"
    }

    private static var residentKiB: Int {
        let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = text?.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line?.split(separator: " ").compactMap { Int($0) }.first ?? 0
    }
}
