import TestSupport
import Testing

/// The guide's "Testing Recommendations", by number.
@Suite("intellipost: testing recommendations", .programs)
struct IntellipostTests {
    @Test("1: an expiry that is not stated is assumed, or read from the token, and met")
    func expiry() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "9s")
            let watch = try bench.watch(.intellipost, at: sandbox.port, "--every", "1s")
            try await watch.stream.feedSwitches(3)
            try await watch.program.interrupt()
            try watch.stream.expectSmoothRenewals(atLeast: 2)
            let source = try watch.stream.all("tokensIssued").first?.text("accessSource")
            #expect(source?.hasPrefix("JWT") == true)
        }
    }

    @Test("2: the refresh token rotates, and the old one is refused")
    func rotation() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let (first, _) = try await Guide.intellipost.logIn(at: sandbox)
            let second = try await Guide.intellipost.refreshed(first, at: sandbox)
            #expect(second.refresh != first.refresh)
            let refused = try await Guide.intellipost.refresh(first.refresh, at: sandbox)
            #expect(refused.status == 401)
            #expect(refused["error"] == .text("Invalid refresh token"))
            _ = try await Guide.intellipost.refreshed(second, at: sandbox)
        }
    }

    @Test("3: a logout ends its own session")
    func logout() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "60s")
            let watch = try bench.watch(.intellipost, at: sandbox.port, "--every", "300ms")
            try await watch.stream.state("fresh")
            let (tokens, _) = try await Guide.intellipost.logIn(at: sandbox)
            let answer = try await Guide.intellipost.post(
                "/api/auth/logout",
                #"{"refresh_token": "\#(tokens.refresh)"}"#,
                to: sandbox
            )
            #expect(answer.status == 200)
            #expect(try await Guide.intellipost.ask(with: tokens.access, at: sandbox).status == 401)
            let events = try watch.stream.events
            let call = try await watch.stream.first("a call after that", after: events.last) {
                $0.isRequest("protected")
            }
            #expect(call.status == 200)
        }
    }

    @Test("4: tokens that are gone here lead to a login")
    func deletedHere() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            for run in 1...2 {
                let watch = try bench.watch(.intellipost, at: sandbox.port)
                try await watch.stream.state("fresh")
                try await watch.program.interrupt()
                let issued = try watch.stream.all("tokensIssued")
                #expect(issued.map { $0.text("origin") } == ["login"])
                #expect(try await sandbox.report().counters(of: .intellipost)?.logins == run)
            }
        }
    }

    @Test("3: a logout of all sessions ends every one of the user")
    func logoutEverywhere() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let (others, _) = try await Guide.intellipost.logIn(at: sandbox)
            _ = try await bench.logIn(.intellipost, at: sandbox.port)
            let logout = try await bench.operation(
                "logout",
                .intellipost,
                at: sandbox.port,
                "--all"
            )
            #expect(logout.ending == .exit(0), "\(logout.errors.text)")
            #expect(logout.output.text.contains("logged out everywhere"))
            #expect(try await Guide.intellipost.ask(with: others.access, at: sandbox).status == 401)
            let ends = try await sandbox.report().sessions(of: .intellipost).map(\.ended)
            #expect(ends == ["logoutEverywhere", "logoutEverywhere"])
        }
    }

    @Test("4: tokens that are gone there end the session, which says so")
    func deletedThere() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "60s")
            let relay = try bench.relay(to: sandbox)
            let watch = try bench.watch(.intellipost, at: relay.port, "--every", "300ms")
            try await watch.stream.first("tokensIssued")
            let answer = try #require(relay.answers.last { $0["refresh_token"] != nil })
            let token = try #require(answer["refresh_token"]?.text)
            let body = #"{"refresh_token": "\#(token)"}"#
            _ = try await Guide.intellipost.post("/api/auth/logout", body, to: sandbox)
            let end = try await watch.stream.first("signedOut")
            #expect(end.text("reason") == "revoked")
            #expect(try await watch.program.ended() == .exit(1))
            #expect(watch.program.errors.lines.count == 1)
        }
    }

    @Test(
        "5: a failure on the way is no verdict: the session is kept",
        arguments: [
            Answers.json(500, #"{"error": "oops"}"#),
            Answers.json(429, #"{"error": "slow down"}"#),
            Answers.json(408, #"{"error": "too slow"}"#),
            Answers.html(502, "<h1>Bad Gateway</h1>"),
        ]
    )
    func networkFailure(answer: String) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10s")
            let relay = try bench.relay(to: sandbox)
            relay.prepare(.answered(answer), for: Guide.intellipost.refreshPath)
            let watch = try bench.watch(.intellipost, at: relay.port)
            let failed = try await watch.stream.first("refreshFailed")
            #expect(failed["nextAt"] != nil)
            try await watch.stream.first("refreshSucceeded", after: failed)
            #expect(try watch.stream.all("signedOut").isEmpty)
            #expect(try watch.stream.all("loginStarted").count == 1)
        }
    }

    @Test(
        "any other client error to a refresh ends the session, with a body or without",
        arguments: [
            Answers.json(400, #"{"error": "no"}"#), Answers.json(404, ""),
            Answers.html(403, "<h1>Forbidden</h1>"), Answers.json(410, "{}"),
            Answers.json(422, ""),
        ]
    )
    func clientErrors(answer: String) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10s")
            let relay = try bench.relay(to: sandbox)
            relay.prepare(.answered(answer), for: Guide.intellipost.refreshPath)
            let watch = try bench.watch(.intellipost, at: relay.port)
            let failed = try await watch.stream.first("refreshFailed")
            #expect(failed.text("class") == "refused")
            #expect(failed["nextAt"] == nil)
            let end = try await watch.stream.first("signedOut", after: failed)
            #expect(end.text("reason") == "revoked")
            #expect(try watch.stream.all("draining").isEmpty)
            #expect(try watch.stream.all("refreshStarted").count == 1)
        }
    }
}
