import TestSupport
import Testing

/// The guide's "Manual Testing", and what it asks of a backend.
@Suite("creatist: manual testing, backend requirements", .programs)
struct CreatistTests {
    @Test("log in, wait for the expiry, and the log shows a renewal before it")
    func manual() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "12s")
            let watch = try bench.watch(.creatist, at: sandbox.port)
            let issued = try await watch.stream.first("tokensIssued")
            #expect(issued.text("accessSource") == "expires_in")
            let planned = try await watch.stream.first("renewalPlanned", after: issued)
            #expect(planned.text("cause") == "accessTokenEnds")
            let due = try #require(planned.text("renewsAt"))
            let dead = try #require(issued.text("accessExpiresAt"))
            let started = try await watch.stream.first("refreshStarted", after: issued)
            #expect(started.text("cause") == "timer")
            #expect(started.at >= due)
            let renewed = try await watch.stream.first("refreshSucceeded", after: started)
            #expect(renewed.at < dead)
        }
    }

    @Test("the monitor goes on after each renewal")
    func monitor() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "9s")
            let watch = try bench.watch(.creatist, at: sandbox.port, "--every", "500ms")
            try await watch.stream.feedSwitches(4)
            try await watch.program.interrupt()
            try watch.stream.expectSmoothRenewals(atLeast: 3)
        }
    }

    @Test("the monitor is stopped by a failure, and the next request renews first")
    func monitorAfterFailure() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "12s")
            let relay = try bench.relay(to: sandbox)
            let busy = Answers.json(503, #"{"message": "busy"}"#)
            relay.prepare(.answered(busy), for: Guide.creatist.refreshPath)
            let watch = try bench.watch(.creatist, at: relay.port, "--every", "5s")
            let failed = try await watch.stream.first("refreshFailed")
            #expect(failed.text("class") == "transient")
            #expect(failed.status == 503)
            #expect(failed["nextAt"] == nil)
            let retrying = try await watch.stream.state("retrying", after: failed)
            #expect(retrying.text("waitsFor") == "use")
            let started = try await watch.stream.first("refreshStarted", after: retrying)
            #expect(started.text("cause") == "caller")
            let renewed = try await watch.stream.first("refreshSucceeded", after: started)
            let request = try await watch.stream.first("the request", after: renewed) {
                $0.isRequest("protected")
            }
            #expect(request.integer("usedGeneration") == renewed.generation)
            let next = try await watch.stream.first("refreshStarted", after: request)
            #expect(next.text("cause") == "timer")
        }
    }

    @Test("while the refresh fails, requests fail and are not sent, and the tries become rarer")
    func outage() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "40s")
            try await sandbox.switchOn("server-error:refresh")
            let watch = try bench.watch(.creatist, at: sandbox.port, "--every", "300ms")
            let first = try await watch.stream.first("refreshFailed")
            var last = first
            for _ in 1...4 {
                last = try await watch.stream.first("refreshFailed", after: last)
                #expect(last["nextAt"] == nil)
            }
            try await sandbox.switchAllOff()
            let renewed = try await watch.stream.first("refreshSucceeded", after: last)
            let sent = try watch.stream.all("request").filter {
                $0.isRequest("protected") && $0.at > first.at && $0.at < renewed.at
            }
            #expect(sent.isEmpty)
            let request = try await watch.stream.first("the request", after: renewed) {
                $0.isRequest("protected")
            }
            #expect(request.status == 200)
        }
    }

    @Test("without a next request nothing is tried, before the expiry and after it")
    func monitorStopped() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "6s")
            try await sandbox.switchOn("server-error:refresh")
            let terminal = try await bench.watchOnScreen(
                .creatist,
                at: sandbox.port,
                "--every",
                "600s"
            )
            try await terminal.see("waits for a", within: .seconds(60))
            try await terminal.see("renewable · renewal failed ×1")
            try await sandbox.switchAllOff()
            try await terminal.seeNo("next try")
            try await terminal.press("p")
            try await terminal.see("● fresh")
        }
    }

    @Test("the backend tells expires_in at login and at refresh, and refuses an expired token")
    func backend() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "2s")
            let (tokens, login) = try await Guide.creatist.logIn(at: sandbox)
            #expect(login["expires_in"] == .number(2))
            let refresh = try await Guide.creatist.refresh(tokens.refresh, at: sandbox)
            #expect(refresh.status == 200)
            #expect(refresh["expires_in"] == .number(2))
            let access = try #require(refresh["access_token"]?.text)
            #expect(access != tokens.access)
            #expect(try await Guide.creatist.outlive(access, at: sandbox).status == 401)
        }
    }
}
