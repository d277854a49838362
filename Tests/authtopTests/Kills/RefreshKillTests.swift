import Client
import Glibc
import Model
import TestSupport
import Testing

/// No switch of the program's own: a library that is loaded into it counts its system calls, and
/// ends it at the one that is asked for.
@Suite("A program that is killed while it renews", .programs)
struct RefreshKillTests {
    @Test(
        "leaves a pair that was issued together, and the next one goes on without a login",
        arguments: KillCount.guides,
        KillPoint.allCases
    )
    func alone(guide: Guide, point: KillPoint) async throws {
        try await withBench { bench in
            let sandbox = try await sandbox(on: bench, for: point)
            let lanes = KillCount.lanes
            let times = (KillCount.ofRefreshes + lanes - 1) / lanes
            try await withThrowingTaskGroup(of: Void.self) { group in
                for lane in 1...lanes {
                    group.addTask {
                        let session = try await StoredSession(
                            on: bench,
                            guide: guide,
                            sandbox: sandbox,
                            name: "lane-\(lane)"
                        )
                        try await kill(session, at: point, times: times)
                    }
                }
                try await group.waitForAll()
            }
            let report = try await sandbox.report()
            let sessions = report.sessions(of: guide)
            #expect(sessions.count == lanes)
            #expect(sessions.allSatisfy { $0.ended == nil })
            let counters = try #require(report.counters(of: guide))
            #expect(counters.logins == lanes)
            #expect(counters.refreshesRefused.isEmpty)
            // A token is sent again only where its result cannot be known.
            let isAskedAgain = point.needsGrace && guide.rotates
            #expect((isAskedAgain ? 1...(lanes * times) : 0...0).contains(counters.reuses))
        }
    }

    /// One that forgives only what the point makes necessary.
    private func sandbox(on bench: Bench, for point: KillPoint) async throws -> Sandbox {
        try await bench.sandbox(
            "--access-ttl",
            "5s",
            "--feed-rate",
            "1",
            "--reuse",
            point.needsGrace ? "grace" : "strict-revoke"
        )
    }

    /// Kills one program after the other at a point, each of which has to go on where the one
    /// before was stopped.
    private func kill(_ session: StoredSession, at point: KillPoint, times: Int) async throws {
        var issued = try await session.issuedPairs()
        for _ in 1...times {
            let watch = try session.watch(with: try await session.shim(at: point))
            issued = try await goesOn(
                watch.stream,
                issued,
                session,
                renewing: point.stored != .renewed
            )
            try session.armKill()
            #expect(try await watch.program.ended() == .signal(SIGKILL))
            #expect(session.pointHit == point.rawValue)
            let record = try await session.record()
            #expect(record.pair != nil)
            #expect((record.journal != nil) == (point.stored == .journalled))
            let newest = try await session.issuedPairs()
            issued = point.needsGrace ? issued.union(newest) : newest
        }
        let last = try session.watch()
        _ = try await goesOn(last.stream, issued, session, renewing: true)
        await last.program.stop()
    }

    /// Expects a program to take up a pair that the backend issued, and to be let in with it.
    ///
    /// - Parameters:
    ///   - stream: The program's.
    ///   - issued: The possible stored pairs.
    ///   - session: Which session it is.
    ///   - renewing: Whether the pair has to be replaced before.
    /// - Returns: The pairs that the backend knows then.
    /// - Throws: When it does not come to that.
    private func goesOn(
        _ stream: EventStream,
        _ issued: Set<StoredSession.Pair>,
        _ session: StoredSession,
        renewing: Bool
    ) async throws -> Set<StoredSession.Pair> {
        let resumed = try await stream.first("tokensIssued")
        #expect(resumed.text("origin") == "resumed")
        #expect(issued.contains(resumed.pair), "\(resumed.line)")
        let begin =
            renewing ? try await stream.first("refreshSucceeded", after: resumed) : resumed
        let known = try await session.issuedPairs()
        try await stream.expectAccepted(after: begin)
        return known
    }

    @Test(
        "is followed by the program beside it, without an interruption there",
        arguments: [
            KillPoint.flightLocked, .journalDurable, .postSent, .answerRead, .rotationSynced,
            .rotationRenamed,
        ]
    )
    func besideAnother(point: KillPoint) async throws {
        let guide = Guide.intellipost
        try await withBench { bench in
            let sandbox = try await sandbox(on: bench, for: point)
            let session = try await StoredSession(
                on: bench,
                guide: guide,
                sandbox: sandbox,
                name: "shared"
            )
            let survivor = try session.watch()
            for _ in 1...KillCount.ofOthers {
                let watch = try session.watch(with: try await session.shim(at: point))
                try session.armKill()
                #expect(try await watch.program.ended(within: .seconds(120)) == .signal(SIGKILL))
                #expect(session.pointHit == point.rawValue)
                let before = try survivor.stream.events.last
                let renewed = try await survivor.stream.first("refreshSucceeded", after: before)
                try await survivor.stream.expectAccepted(after: renewed)
            }
            #expect(try survivor.stream.all("signedOut").isEmpty)
            #expect(try survivor.stream.all("draining").isEmpty)
            let report = try await sandbox.report()
            #expect(report.sessions(of: guide).map(\.ended) == [nil])
            let counters = try #require(report.counters(of: guide))
            #expect(counters.logins == 1)
            #expect(counters.refreshesRefused.isEmpty)
            let isAskedAgain = point.needsGrace
            #expect((isAskedAgain ? 1...KillCount.ofOthers : 0...0).contains(counters.reuses))
        }
    }
}
