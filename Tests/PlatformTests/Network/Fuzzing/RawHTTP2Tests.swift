import Basics
import Client
import Model
import Platform
import Profiles
import Testing

/// The whole way of an answer of HTTP/2, from the socket to its outcome, under hostile frames.
///
/// By hand: `AUTHTOP_RAW_ANSWERS=1000000 swift test --filter RawHTTP2Tests`, and with
/// `AUTHTOP_SEED` the same frames once more. A crash is the end of the process.
@Suite("Network: raw answers of HTTP/2", .timeLimit(.minutes(180)))
struct RawHTTP2Tests {
    /// For what stays open without an end; longer than an answer takes, but on a busy machine.
    private static let limit = Duration.seconds(2)
    private static let unsent = "connection closed before the request was sent"
    /// Each has an origin of its own: a client opens one connection to an origin at a time.
    private static let lanes = 8

    @Test("no answer of HTTP/2 crashes, hangs or grows the client")
    func hostile() async throws {
        let tally = Tally(defaultTotal: 1500)
        let seed = tally.seed
        let behavior = RawHTTP2Server.Behavior(
            greeting: { RawHTTP2Response.greeting(number: $0, seed: seed) },
            answersEarly: true
        ) { path, stream in
            let number = UInt64(path.dropFirst()) ?? 0
            return RawHTTP2Response(number: number, seed: seed, stream: stream).answer
        }
        try await CertificateAuthority.with { authority in
            let trust = try TrustRoots(caFile: authority.caFile)
            try await withTestNetwork(trust: trust) { network in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<Self.lanes {
                        group.addTask {
                            try await RawHTTP2Server.run(behavior, tls: authority.http2) {
                                let origin = "https://localhost:\($0.port)"
                                let transport = network.tokenTransport(
                                    to: try BackendOrigin(parsing: origin)
                                )
                                await tally.runLane { await Self.ask($0, transport) }
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
        print(tally.summary)
        #expect(tally.ended == tally.total)
        // Nearly all reach the client's reading of answers, on a busy machine many are too late.
        let missed = ["no connection to", "no answer", "no complete answer", Self.unsent]
        #expect(missed.map(tally.crossed).reduce(0, +) < Int(tally.total) / 2)
        #expect(tally.crossed("answered 2xx") > 0)
        #expect(tally.crossed(":status is not") > 0)
        #expect(tally.crossed("pseudo-header") > 0)
        #expect(tally.crossed("a frame that") > 0)
    }

    /// The result of one request.
    private static func ask(_ number: UInt64, _ transport: HTTPTokenTransport) async -> String {
        let methods = ["POST", "POST", "GET", "HEAD"]
        var request = WireRequest.refresh
        request.method = methods[Int(number % 4)]
        if request.method != "POST" { request.body = [] }
        request.target = "/\(number)"
        let use: ConnectionUse = number % 2 == 0 ? .shared : .own
        var outcome = ""
        // A connection of the pool may be closed just when it is chosen.
        for _ in 0..<10 where outcome.isEmpty || outcome.contains(unsent) {
            let deadline = liveTime.now + limit
            let report = await transport.send(request, connection: use, deadline: deadline)
            outcome =
                switch report.outcome {
                case .answered(let answer): "answered \(answer.status / 100)xx"
                case .notSent(let cause): "not sent: \(cause)"
                case .unanswered(let message): "unanswered: \(message)"
                }
        }
        return outcome
    }
}
