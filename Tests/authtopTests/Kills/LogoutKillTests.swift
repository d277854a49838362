import Client
import Glibc
import Model
import TestSupport
import Testing

@Suite("A logout that is killed", .programs)
struct LogoutKillTests {
    private static let guide = Guide.melchat
    private static let path = "/api/auth/logout"

    @Test(
        "has happened once it is written, for every program, and the backend is told at last",
        arguments: LogoutKillPoint.allCases.filter(\.isOver)
    )
    func written(point: LogoutKillPoint) async throws {
        try await killLogouts(at: point) { session, watch in
            #expect(try await watch.program.ended() == .exit(1))
            let end = try #require(try watch.stream.all("signedOut").first)
            #expect(end.text("reason") == "endedElsewhere")
            let record = try await session.record()
            #expect(record.pair == nil)
            #expect(record.journal == nil)
            // Besides, what a renewal that was in progress brought to the watch.
            #expect((1...2).contains(record.outbox.count))

            let next = try session.watch(with: Self.guide.credentials)
            let issued = try await next.stream.first("tokensIssued")
            #expect(issued.text("origin") == "login")
            try await next.stream.first("the revocation") { $0.text("phase") == "done" }
            let sessions = try await session.sandbox.report().sessions(of: Self.guide)
            #expect(sessions.filter { $0.ended == nil }.map(\.access) == [issued.text("access")])
            #expect(sessions.count == 2)
            #expect(try await session.record().pair?.generation == 1)
            await next.program.stop()
        }
    }

    @Test(
        "has not happened before that, and the session goes on",
        arguments: LogoutKillPoint.allCases.filter { !$0.isOver }
    )
    func unwritten(point: LogoutKillPoint) async throws {
        try await killLogouts(at: point) { session, watch in
            let record = try await session.record()
            #expect(record.pair != nil)
            #expect(record.outbox.isEmpty)
            let renewed = try await watch.stream.first(
                "a renewal",
                after: try watch.stream.events.last
            ) { $0.kind == "refreshSucceeded" }
            try await watch.stream.expectAccepted(after: renewed)
            #expect(try watch.stream.all("signedOut").isEmpty)
            let report = try await session.sandbox.report()
            #expect(report.sessions(of: Self.guide).map(\.ended) == [nil])
            #expect(report.counters(of: Self.guide)?.logouts == 0)
            let again = try session.operation("logout")
            #expect(try await again.ended() == .exit(0))
            #expect(try await session.record().pair == nil)
        }
    }

    /// Logs in, watches, and kills a logout beside the watch, again and again.
    private func killLogouts(
        at point: LogoutKillPoint,
        _ check: @Sendable (StoredSession, Watch) async throws -> Void
    ) async throws {
        for _ in 1...KillCount.ofOthers {
            try await withBench { bench in
                // With a token that is good for more than one renewal.
                let sandbox = try await bench.sandbox(
                    "--access-ttl",
                    "10s",
                    "--feed-rate",
                    "1",
                    "--reuse",
                    "none"
                )
                let session = try await StoredSession(
                    on: bench,
                    guide: Self.guide,
                    sandbox: sandbox,
                    name: "one"
                )
                let watch = try session.watch()
                try await watch.stream.state("fresh")
                let shim = try await session.shim(at: point, of: Self.path)
                let logout = try session.operation("logout", with: shim)
                #expect(try await logout.ended() == .signal(SIGKILL))
                #expect(session.pointHit == point.rawValue)
                try await check(session, watch)
            }
        }
    }
}
