import TestSupport
import Testing

/// The guide's "Testing Token Refresh" and its "Quick Checklist".
@Suite("bitbasel: testing token refresh, quick checklist", .programs)
struct BitbaselChecklistTests {
    @Test("by hand: an expired token is refused, a refresh brings a new one and the same other one")
    func walk() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "5s")
            let (tokens, _) = try await Guide.bitbasel.logIn(at: sandbox)
            #expect(try await Guide.bitbasel.ask(with: tokens.access, at: sandbox).status == 200)
            let refused = try await Guide.bitbasel.outlive(tokens.access, at: sandbox)
            #expect(refused.status == 401)

            let answer = try await Guide.bitbasel.refresh(tokens.refresh, at: sandbox)
            #expect(answer.status == 200)
            #expect(answer["refresh_token"] == .text(tokens.refresh))
            #expect(answer["token_type"] == .text("bearer"))
            #expect(answer["user_id"] == .number(123))
            #expect(answer["email"] == .text("user@example.com"))
            #expect(answer["has_profile"] == .flag(true))
            let access = try #require(answer["access_token"]?.text)
            #expect(access != tokens.access)
            #expect(try await Guide.bitbasel.ask(with: access, at: sandbox).status == 200)
        }
    }

    @Test("both tokens are kept after the login")
    func bothKept() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let watch = try bench.watch(.bitbasel, at: sandbox.port)
            let issued = try await watch.stream.first("tokensIssued")
            let session = try await sandbox.report().sessions(of: .bitbasel).first
            #expect(issued.text("access") == session?.access)
            #expect(issued.text("refresh") == session?.refresh)
            #expect(issued.text("displayName") == "user@example.com")
        }
    }

    @Test("every request bears the access token of its time")
    func authorization() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "6s")
            let relay = try bench.relay(to: sandbox)
            let watch = try bench.watch(.bitbasel, at: relay.port, "--every", "300ms")
            try await watch.stream.first("a request with the first token") {
                $0.isRequest("protected") && $0.integer("usedGeneration") == 1
            }
            let renewed = try await watch.stream.first("refreshSucceeded")
            // A request that was in progress at the renewal still bears the token before.
            try await watch.stream.first("a request with the new token", after: renewed) {
                $0.isRequest("protected") && $0.integer("usedGeneration") == renewed.generation
            }
            let requests = relay.requests(to: Guide.bitbasel.protectedPath)
            let values = requests.map { $0.values(of: "authorization") }
            #expect(values.allSatisfy { $0.count == 1 && $0[0].hasPrefix("Bearer eyJ") })
            #expect(Set(values).count >= 2)
        }
    }

    @Test("a 401 asks /auth/refresh, and the request goes again")
    func unauthorized() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "60s")
            let relay = try bench.relay(to: sandbox)
            relay.prepare(.answered(Answers.unauthorized), for: Guide.bitbasel.protectedPath)
            let watch = try bench.watch(.bitbasel, at: relay.port, "--every", "300ms")
            try await watch.stream.first("the same request again") {
                $0.integer("retryOf") != nil && $0.status == 200
            }
            let paths = relay.requests.map(\.path)
            let refresh = try #require(paths.firstIndex { $0.hasSuffix("/auth/refresh") })
            #expect(paths[..<refresh].count { $0.hasSuffix("/posts/feed") } == 1)
            #expect(paths[refresh...].contains { $0.hasSuffix("/posts/feed") })
        }
    }

    @Test("the feed reconnects after each refresh, with the new token")
    func feed() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "6s")
            let watch = try bench.watch(.bitbasel, at: sandbox.port)
            var renewed = try await watch.stream.first("refreshSucceeded")
            for _ in 1...2 {
                let opened = try await watch.stream.first("feedOpened", after: renewed)
                #expect(opened.integer("usedGeneration") == renewed.generation)
                let switched = try await watch.stream.first("feedSwitched", after: opened)
                #expect(switched.integer("gap") == 0)
                renewed = try await watch.stream.first("refreshSucceeded", after: switched)
            }
            let sockets = try await sandbox.report().sockets
            #expect(sockets.map(\.generation).prefix(3) == [1, 2, 3])
            #expect(sockets.prefix(2).allSatisfy { $0.closeCode == 1000 })
        }
    }

    @Test("the seven days end whatever is renewed, and then the user has to sign in")
    func ceiling() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "4s", "--refresh-ttl", "10s")
            let watch = try bench.watch(.bitbasel, at: sandbox.port)
            try await watch.stream.first("refreshSucceeded")
            #expect(try await watch.program.ended() == .exit(1))
            let end = try #require(try watch.stream.all("signedOut").last)
            #expect(end.text("reason") == "refreshExpired")
            #expect(watch.program.errors.text.contains("the refresh token expired"))
            let tokens = Set(try watch.stream.all("tokensIssued").map { $0.text("refresh") })
            #expect(tokens.count == 1)
        }
    }

    @Test("an expired refresh token is refused with 401 and its words")
    func expiredRefresh() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "1s", "--refresh-ttl", "2s")
            let (tokens, _) = try await Guide.bitbasel.logIn(at: sandbox)
            let refused = try await eventually("the refusal of the refresh token") {
                let answer = try await Guide.bitbasel.refresh(tokens.refresh, at: sandbox)
                return answer.status == 200 ? nil : answer
            }
            #expect(refused.status == 401)
            #expect(refused["detail"] == .text("Invalid or expired refresh token"))
        }
    }

    @Test("the feed opens for a live token and refuses an expired one with 403")
    func feedByHand() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "6s")
            let (tokens, _) = try await Guide.bitbasel.logIn(at: sandbox)
            let dial = HandMadeRequest(
                method: "GET",
                target: "/bitbasel/ws/feed?token=\(tokens.access)",
                headers: [
                    "Upgrade": "websocket", "Connection": "Upgrade",
                    "Sec-WebSocket-Version": "13",
                    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
                ]
            )
            #expect(try await dial.send(to: sandbox.port).status == 101)
            _ = try await Guide.bitbasel.outlive(tokens.access, at: sandbox)
            #expect(try await dial.send(to: sandbox.port).status == 403)
            #expect(try await sandbox.report().counters(of: .bitbasel)?.feedsRefused.count == 1)
        }
    }
}
