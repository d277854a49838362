import TestSupport
import Testing

/// The guide's "Testing Checklist", item by item.
@Suite("voltyks: testing checklist", .programs)
struct VoltyksChecklistTests {
    @Test("login brings both tokens, and both are kept")
    func login() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let watch = try bench.watch(.voltyks, at: sandbox.port)
            let issued = try await watch.stream.first("tokensIssued")
            #expect(issued.text("origin") == "login")
            let session = try await sandbox.report().sessions(of: .voltyks).first
            #expect(issued.text("access") == session?.access)
            #expect(issued.text("refresh") == session?.refresh)
            #expect(session?.refresh != nil)
        }
    }

    @Test("a refresh replaces both, and the new ones are kept")
    func refresh() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "6s")
            let watch = try bench.watch(.voltyks, at: sandbox.port)
            let first = try await watch.stream.first("tokensIssued")
            let second = try await watch.stream.first("tokensIssued", after: first)
            #expect(second.text("origin") == "refresh")
            #expect(second["rotated"] == .flag(true))
            #expect(second.text("access") != first.text("access"))
            #expect(second.text("refresh") != first.text("refresh"))
            #expect(second["accessExpiresAt"] != nil && second["refreshExpiresAt"] != nil)
        }
    }

    @Test("the next refresh presents the new token, and succeeds")
    func nextRefresh() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "6s")
            let watch = try bench.watch(.voltyks, at: sandbox.port)
            var issued = try await watch.stream.first("tokensIssued")
            for _ in 1...3 {
                let refresh = try await watch.stream.first("a refresh", after: issued) {
                    $0.isRequest("refresh")
                }
                #expect(refresh.text("token") == issued.text("refresh"))
                #expect(refresh.status == 200)
                issued = try await watch.stream.first("tokensIssued", after: refresh)
            }
        }
    }

    @Test("an old token is refused with RefreshTokenMismatch")
    func oldToken() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let first = try await Guide.voltyks.logIn(at: sandbox).tokens
            let second = try await Guide.voltyks.refreshed(first, at: sandbox)
            let third = try await Guide.voltyks.refreshed(second, at: sandbox)
            #expect(Set([first, second, third].map(\.refresh)).count == 3)
            for spent in [first, second] {
                let answer = try await Guide.voltyks.refresh(spent.refresh, at: sandbox)
                #expect(answer.status == 401)
                #expect(answer["status"] == .flag(false))
                #expect(answer["message"] == .text("RefreshTokenMismatch"))
                #expect(answer["data"] == .null)
            }
            let counters = try await sandbox.report().counters(of: .voltyks)
            #expect(counters?.reuses == 2)
            _ = try await Guide.voltyks.refreshed(third, at: sandbox)
        }
    }

    @Test("a token that is spent elsewhere ends the session, and is named")
    func stolenToken() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "8s")
            let relay = try bench.relay(to: sandbox)
            let watch = try bench.watch(.voltyks, at: relay.port)
            try await watch.stream.first("tokensIssued")
            let answer = try #require(relay.answers.last { $0["data.refreshToken"] != nil })
            let token = try #require(answer["data.refreshToken"]?.text)
            #expect(try await Guide.voltyks.refresh(token, at: sandbox).status == 200)
            let failed = try await watch.stream.first("refreshFailed")
            #expect(failed.text("message") == "RefreshTokenMismatch")
            #expect(failed.text("class") == "refused")
            #expect(try await watch.program.ended() == .exit(1))
            #expect(watch.program.errors.text.contains("refused the refresh token"))
            #expect(try watch.stream.all("draining").isEmpty)
        }
    }

    @Test(
        "the other two refusals of its table",
        arguments: [
            ("", "Refresh token not found"), ("no-such-format", "Invalid refresh token format"),
        ]
    )
    func refusals(token: String, message: String) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let answer = try await Guide.voltyks.post(
                Guide.voltyks.refreshPath,
                "",
                to: sandbox,
                bearer: token.isEmpty ? nil : token
            )
            #expect(answer.status == 401)
            #expect(answer["message"] == .text(message))
        }
    }

    @Test("an expired access token is renewed without the user")
    func expiredAccess() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "9s")
            let tokens = try await Guide.voltyks.logIn(at: sandbox).tokens
            #expect(try await Guide.voltyks.outlive(tokens.access, at: sandbox).status == 401)
            let watch = try bench.watch(.voltyks, at: sandbox.port, "--every", "500ms")
            try await watch.stream.feedSwitches(3)
            try await watch.program.interrupt()
            try watch.stream.expectSmoothRenewals(atLeast: 2)
            #expect(try watch.stream.all("loginStarted").count == 1)
        }
    }

    @Test("an expired refresh token leads back to the login")
    func expiredRefresh() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "4s", "--refresh-ttl", "8s")
            let relay = try bench.relay(to: sandbox)
            let watch = try bench.watch(.voltyks, at: relay.port)
            try await watch.stream.first("refreshSucceeded")
            try await relay.refuse()
            try await eventually("the end of the refresh token") {
                try await sandbox.report().sessions(of: .voltyks).first?.ended == "expired"
            }
            try await relay.accept()
            let end = try await watch.stream.first("signedOut")
            #expect(end.text("reason") == "refreshExpired")
            #expect(try await watch.program.ended() == .exit(1))
            #expect(watch.program.errors.lines.count == 1)
            #expect(watch.program.errors.text.contains("the refresh token expired"))
        }
    }
}
