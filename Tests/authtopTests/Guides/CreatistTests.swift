import Testing

/// The guide's "Manual Testing", and what it asks of a backend.
@Suite("creatist: manual testing, backend requirements", .programs)
struct CreatistTests {
    @Test("log in, wait for the expiry, and the log shows a renewal before it")
    func manual() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "6s")
            let watch = try bench.watch(.creatist, at: sandbox.port)
            let issued = try await watch.story.first("tokensIssued")
            #expect(issued.text("accessSource") == "expires_in")
            let due = try #require(issued.text("soft"))
            let dead = try #require(issued.text("accessExpiresAt"))
            let started = try await watch.story.first("refreshStarted", after: issued)
            #expect(started.text("why") == "timer")
            #expect(started.at >= due)
            let renewed = try await watch.story.first("refreshSucceeded", after: started)
            #expect(renewed.at < dead)
        }
    }

    @Test("the monitor goes on after each renewal")
    func monitor() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "4s")
            let watch = try bench.watch(.creatist, at: sandbox.port, for: "12s", "--every", "500ms")
            #expect(try await watch.program.ended() == .exit(0))
            try watch.story.expectSmoothRenewals(atLeast: 3)
        }
    }

    @Test("the monitor goes on after a failure")
    func monitorAfterFailure() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10s")
            let relay = try bench.relay(to: sandbox)
            let busy = Answers.json(503, #"{"message": "busy"}"#)
            relay.prepare(.answered(busy), for: Guide.creatist.refreshPath)
            let watch = try bench.watch(.creatist, at: relay.port)
            let failed = try await watch.story.first("refreshFailed")
            #expect(failed.text("class") == "transient")
            #expect(failed.status == 503)
            let retrying = try await watch.story.state("retrying", after: failed)
            let renewed = try await watch.story.first("refreshSucceeded", after: retrying)
            #expect(renewed.number("leadLeft") ?? 0 > 0)
            try await watch.story.first("refreshSucceeded", after: renewed)
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
