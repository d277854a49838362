import Basics
import Client
import Model
import Testing

@testable import Platform
@testable import Profiles

/// The whole way of an answer, from the socket to its outcome, under hostile bytes.
///
/// By hand: `AUTHTOP_RAW_ANSWERS=1000000 swift test --filter RawResponseTests`, and with
/// `AUTHTOP_SEED` the same bytes once more. A crash is the end of the process.
@Suite("Network: raw answers", .timeLimit(.minutes(60)))
struct RawResponseTests {
    /// For what stays open without an end; longer than any answer takes.
    private static let limit = Duration.milliseconds(250)

    @Test("no answer crashes, hangs or grows the client")
    func hostile() async throws {
        let tally = Tally(defaultTotal: 3000)
        try await RawResponseServer.run(seed: tally.seed) { server in
            // A fixed key, so that some dials are accepted.
            let configuration = NetworkConfiguration(timekeeper: liveTime, random: { 0 })
            try await withNetwork(configuration) { network in
                let origin = try BackendOrigin(parsing: "http://127.0.0.1:\(server.port)")
                let transport = network.tokenTransport(to: origin)
                let feed = try network.feedTransport(to: origin)
                await tally.run { await Self.ask($0, transport, feed) }
            }
        }
        print(tally.summary)
        #expect(tally.ended == tally.total)
        #expect(tally.crossed("answered") > 0)
        #expect(tally.crossed("status") > 0)
    }

    /// The result of one request; every eighth dials the feed.
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
