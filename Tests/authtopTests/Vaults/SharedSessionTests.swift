import Foundation
import TestSupport
import Testing

@Suite("A session that eight programs watch", .programs)
struct SharedSessionTests {
    /// `AUTHTOP_WATCH_SECONDS`, for longer by hand.
    private static let seconds =
        ProcessInfo.processInfo.environment["AUTHTOP_WATCH_SECONDS"].flatMap { Int($0) } ?? 30

    /// Seconds that an access token lives.
    private static let lifetime = 10

    /// Each refresh token is good for one use.
    @Test(
        "is renewed by one of them each time, the others take it over, and none is refused",
        arguments: zip([Guide.voltyks, .intellipost], ["strict", "strict-revoke"])
    )
    func shared(guide: Guide, reuse: String) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox(
                "--access-ttl",
                "\(Self.lifetime)s",
                "--feed-rate",
                "2",
                "--reuse",
                reuse
            )
            let clock = ContinuousClock()
            let begin = clock.now
            let first = try watch(guide, at: sandbox.port, on: bench, guide.credentials)
            try await first.stream.state("fresh")
            let watches =
                [first]
                + (try (2...8).map { _ in try watch(guide, at: sandbox.port, on: bench, [:]) })
            try await eventually("the end of the time", within: .seconds(Self.seconds + 60)) {
                clock.now - begin >= .seconds(Self.seconds)
            }
            // All end while each has the same pair, and none needs another for a while: a process
            // that ends while its refresh is in progress does not report it.
            let newest = try watches.flatMap { try $0.stream.all("tokensIssued") }.map(\.generation)
            let last = (newest.max() ?? 0) + 1
            for watch in watches {
                try await watch.stream.first("generation \(last)") {
                    $0.kind == "tokensIssued" && $0.generation >= last
                }
            }
            for watch in watches { watch.program.send(SIGINT) }
            for watch in watches {
                let ending = try await watch.program.ended()
                #expect(ending == .exit(128 + SIGINT), "\(watch.program.errors.text)")
                #expect(try watch.stream.all("signedOut").isEmpty)
                #expect(try watch.stream.all("draining").isEmpty)
                #expect(try watch.stream.all("feedSwitched").allSatisfy { $0.integer("gap") == 0 })
                #expect(try watch.stream.all("adopted").isEmpty == false)
            }
            // Longer than each of them ran: they do not start at once.
            let span = Double((clock.now - begin).components.seconds + 1)
            let report = try await sandbox.report()
            let counters = try #require(report.counters(of: guide))
            let session = try #require(report.sessions(of: guide).first)
            #expect(report.sessions(of: guide).count == 1)
            #expect(session.ended == nil)
            #expect(counters.logins == 1)
            #expect(counters.reuses == 0)
            #expect(counters.refreshesRefused.isEmpty)
            #expect(counters.unauthorized.isEmpty)
            // Each refresh on the wire is a rotation, and they come as often as one program's
            // clock may have them: no sooner than 4 s after the one before, which is the half of
            // 10 s less one for whole seconds, with all of the jitter.
            let sent = try watches.map { watch in
                try watch.stream.events.count { $0.isRequest("refresh") }
            }
            #expect(sent.reduce(0, +) == session.generation - 1)
            #expect(counters.refreshes == session.generation - 1)
            #expect(Double(counters.refreshes) <= span / 4 + 1)
            #expect(counters.refreshes >= Self.seconds / Self.lifetime)
        }
    }

    private func watch(
        _ guide: Guide,
        at port: Int,
        on bench: Bench,
        _ credentials: [String: String]
    ) throws -> Watch {
        try bench.watch(
            guide,
            at: port,
            for: "\(Self.seconds + 600)s",
            "--vault",
            "file",
            "--every",
            "1s",
            credentials: credentials
        )
    }
}
