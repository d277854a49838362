import Glibc
import TestSupport
import Testing

@Suite("An outage", .programs)
struct OutageTests {
    @Test(
        "longer than the access token's life ends without a second login",
        arguments: Guide.allCases
    )
    func pastExpiry(guide: Guide) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "5s", "--reuse", guide.reuse)
            let relay = try bench.relay(to: sandbox)
            let watch = try bench.watch(guide, at: relay.port, "--every", "500ms")
            try await watch.stream.first("refreshSucceeded")
            try await relay.refuse()
            let failed = try await watch.stream.first("refreshFailed")
            #expect(failed.text("class") == "notSent")
            let expired = try await watch.stream.state("expired", after: failed)
            // After creatist's first failure, and melchat's third, the next request tries again.
            #expect((expired["nextAt"] == nil) == (guide == .creatist) || guide == .melchat)
            try await relay.accept()
            try await expectRecovery(watch.stream, after: expired)
            let counters = try await sandbox.report().counters(of: guide)
            #expect(counters?.logins == 1)
            // With its policy a spent token is as good as new, and counted.
            #expect(guide == .melchat || counters?.reuses == 0)
        }
    }

    @Test("shorter than that is noticed only by the log", arguments: Guide.allCases)
    func withinLife(guide: Guide) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "30s", "--reuse", guide.reuse)
            let relay = try bench.relay(to: sandbox)
            let watch = try bench.watch(guide, at: relay.port, "--every", "500ms")
            let opened = try await watch.stream.first("feedOpened")
            try await relay.refuse()
            let closed = try await watch.stream.first("feedClosed", after: opened)
            try await relay.accept()
            let reopened = try await watch.stream.first("feedOpened", after: closed)
            #expect(reopened.generation == 1)
            // One that the outage cut may be told only now: it has no status.
            let request = try await watch.stream.first("an answered request", after: reopened) {
                $0.isRequest("protected") && $0.status != nil
            }
            #expect(request.status == 200)
            #expect(try watch.stream.all("loginStarted").count == 1)
        }
    }

    @Test("a backend that hangs and comes back in time keeps the session")
    func frozenBriefly() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "5s")
            let watch = try bench.watch(.bitbasel, at: sandbox.port)
            try await watch.stream.first("refreshSucceeded")
            sandbox.program.send(SIGSTOP)
            let blocked = try await watch.stream.state("blocked")
            sandbox.program.send(SIGCONT)
            try await expectRecovery(watch.stream, after: blocked)
            #expect(try watch.stream.all("loginStarted").count == 1)
        }
    }

    @Test("a program that was stopped says so, and does not take it for a sleep of the machine")
    func stopped() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "6s")
            let watch = try bench.watch(.bitbasel, at: sandbox.port)
            let renewed = try await watch.stream.first("refreshSucceeded")
            watch.program.send(SIGSTOP)
            let start = ContinuousClock.now
            try await eventually("a stop longer than any timer") {
                ContinuousClock.now - start > .seconds(14)
            }
            watch.program.send(SIGCONT)
            let wake = try await watch.stream.first("wake", after: renewed)
            #expect(wake.text("cause") == "stopped")
            #expect(try #require(wake.number("late")) > 5)
            try await watch.stream.first("refreshSucceeded", after: wake)
        }
    }

    @Test("a backend that hangs for longer than an answer may take keeps the session")
    func frozenLong() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "5s")
            let watch = try bench.watch(.bitbasel, at: sandbox.port)
            try await watch.stream.first("refreshSucceeded")
            sandbox.program.send(SIGSTOP)
            let failed = try await watch.stream.first("refreshFailed")
            #expect(failed.text("class") == "unknown")
            #expect(failed["nextAt"] != nil)
            sandbox.program.send(SIGCONT)
            try await expectRecovery(watch.stream, after: failed)
            #expect(try watch.stream.all("loginStarted").count == 1)
        }
    }

    /// Fresh again with the next pair, a feed that uses it, and no word of an end.
    private func expectRecovery(_ stream: EventStream, after problem: Event) async throws {
        let fresh = try await stream.state("fresh", after: problem)
        #expect(fresh.generation > problem.generation)
        try await stream.first("the feed on the new pair", after: problem) {
            $0.kind == "feedOpened" && $0.integer("usedGeneration") ?? 0 >= fresh.generation
        }
        #expect(try stream.all("signedOut").isEmpty)
    }
}
