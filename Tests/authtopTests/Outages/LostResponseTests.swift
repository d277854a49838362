import TestSupport
import Testing

/// The backend has done its part; its answer was lost.
@Suite("The lost answer to a refresh", .programs)
struct LostResponseTests {
    @Test(
        "is asked for again with the same token, and what a strict backend makes of that has a name",
        arguments: Guide.allCases.filter(\.rotates)
    )
    func strict(guide: Guide) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "18s")
            let relay = try bench.relay(to: sandbox)
            relay.prepare(.answerLost, for: guide.refreshPath)
            let watch = try bench.watch(guide, at: relay.port, "--every", "300ms")
            let (lost, again) = try await askedTwice(guide, watch.stream)
            #expect(again.status == 401)
            let end = try await watch.stream.first("signedOut", after: lost)
            #expect(end.text("reason") == "lostRotation")
            #expect(try await watch.program.ended() == .exit(1))
            #expect(watch.program.errors.lines.count == 1)
            #expect(watch.program.errors.text.contains("a renewal whose answer was lost"))

            #expect(try watch.stream.all("draining").isEmpty)

            let counters = try await sandbox.report().counters(of: guide)
            #expect(counters?.logins == 1)
            #expect(counters?.refreshes == 1)
            #expect(counters?.reuses == 1)
            #expect(relay.requests(to: guide.refreshPath).count == 2)
        }
    }

    @Test(
        "is asked for again, and a backend that keeps its tokens gives it",
        arguments: Guide.allCases.filter { !$0.rotates }
    )
    func forgiving(guide: Guide) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "12s", "--reuse", guide.reuse)
            let relay = try bench.relay(to: sandbox)
            relay.prepare(.answerLost, for: guide.refreshPath)
            let watch = try bench.watch(guide, at: relay.port, "--every", "300ms")
            let (lost, again) = try await askedTwice(guide, watch.stream)
            #expect(again.status == 200)
            try await watch.stream.first("graceRecovered", after: lost)
            let fresh = try await watch.stream.state("fresh", after: lost)
            #expect(fresh.generation == 2)
            let counters = try await sandbox.report().counters(of: guide)
            #expect(counters?.logins == 1)
            // Others may have followed.
            #expect((counters?.refreshes ?? 0) >= 2)
        }
    }

    /// The refresh without an answer, and the next one.
    private func askedTwice(
        _ guide: Guide,
        _ stream: EventStream
    ) async throws -> (lost: Event, again: Event) {
        let lost = try await stream.first("a refresh without an answer") { $0.isRequest("refresh") }
        #expect(lost.text("class") == "unknown")
        let unknown = try await stream.state("unknown", after: lost)
        // Its monitor is stopped by a failure, and started by the next request.
        #expect((unknown["nextAt"] != nil) == (guide != .creatist))
        let again = try await stream.first("the next refresh", after: unknown) {
            $0.isRequest("refresh")
        }
        #expect(again.text("token") != nil)
        #expect(again.text("token") == lost.text("token"))
        return (lost, again)
    }
}
