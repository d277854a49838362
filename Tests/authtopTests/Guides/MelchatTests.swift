import TestSupport
import Testing

/// The guide's three tests, and what it says of its endpoints.
@Suite("melchat: testing", .programs)
struct MelchatTests {
    @Test("test 1: a login saves both tokens, for 2592000 s")
    func login() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--documented-ttl")
            let watch = try bench.watch(.melchat, at: sandbox.port)
            let issued = try await watch.stream.first("tokensIssued")
            let lifetime = try #require(issued.number("accessLifetime"))
            #expect((2_591_000...2_592_000).contains(lifetime))
            #expect(issued.text("displayName") == "sandbox")
            let session = try await sandbox.report().sessions(of: .melchat).first
            #expect(issued.text("access") == session?.access)
            #expect(issued.text("refresh") == session?.refresh)
        }
    }

    @Test("a renewal is due five minutes before both tokens end")
    func lead() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--documented-ttl")
            _ = try await bench.logIn(.melchat, at: sandbox.port)
            let status = try await bench.operation("status", .melchat, at: sandbox.port, "--json")
            let line = try JSON.object(in: try #require(status.output.lines.first))
            guard case .number(let end)? = line["secondsToAccessExpiry"],
                case .number(let due)? = line["secondsToRefreshAt"]
            else { return #expect(Bool(false), "no plan: \(status.output.text)") }
            // A tenth of it is jitter.
            #expect((299...331).contains(end - due))
        }
    }

    @Test("test 2: ten seconds, wait, call: no caller notices the renewal")
    func autoRefresh() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10s", "--reuse", "none")
            let watch = try bench.watch(.melchat, at: sandbox.port, "--every", "1s")
            let first = try await watch.stream.first("tokensIssued")
            let firstEnd = try #require(first.text("accessExpiresAt"))
            try await watch.stream.first("tokensIssued", after: first)
            var call = first
            for _ in 1...3 {
                call = try await watch.stream.first("a call after the first end", after: call) {
                    $0.isRequest("protected") && $0.at > firstEnd
                }
            }
            let calls = try watch.stream.events.prefix(call.index + 1)
                .filter { $0.isRequest("protected") }
            #expect(calls.count > 3)
            #expect(calls.allSatisfy { $0.status == 200 })
        }
    }

    @Test("test 2: a 401 asks for a new token, and the request goes again with 200")
    func unauthorized() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "60s")
            let relay = try bench.relay(to: sandbox)
            relay.prepare(.answered(Answers.unauthorized), for: Guide.melchat.protectedPath)
            let watch = try bench.watch(.melchat, at: relay.port, "--every", "300ms")
            let refused = try await watch.stream.first("a 401") { $0.status == 401 }
            let refresh = try await watch.stream.first("a refresh", after: refused) {
                $0.isRequest("refresh")
            }
            #expect(refresh.status == 200)
            let again = try await watch.stream.first("the request again", after: refresh) {
                $0.integer("retryOf") == refused.integer("id")
            }
            #expect(again.status == 200)
        }
    }

    @Test("test 3: a logout ends this session and no other")
    func logout() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let (tokens, _) = try await Guide.melchat.logIn(at: sandbox)
            let (others, _) = try await Guide.melchat.logIn(at: sandbox)
            let answer = try await Guide.melchat.post(
                "/api/auth/logout",
                #"{"refreshToken": "\#(tokens.refresh)"}"#,
                to: sandbox
            )
            #expect(answer.status == 200)
            #expect(answer["success"] == .flag(true))
            #expect(answer["message"] == .text("Logged out successfully"))
            let refused = try await Guide.melchat.refresh(tokens.refresh, at: sandbox)
            #expect(refused.status == 401)
            #expect(refused["success"] == .flag(false))
            #expect(try await Guide.melchat.ask(with: tokens.access, at: sandbox).status == 401)
            #expect(try await Guide.melchat.ask(with: others.access, at: sandbox).status == 200)
        }
    }

    @Test("a logout from all devices ends every watch of that user")
    func logoutAll() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "60s")
            let watches = try (1...2).map { _ in
                try bench.watch(.melchat, at: sandbox.port, "--every", "300ms")
            }
            for watch in watches { try await watch.stream.state("fresh") }
            let (tokens, _) = try await Guide.melchat.logIn(at: sandbox)
            let answer = try await Guide.melchat.post(
                "/api/auth/logout-all",
                #"{"refreshToken": "\#(tokens.refresh)"}"#,
                to: sandbox,
                bearer: tokens.access
            )
            #expect(answer["success"] == .flag(true))
            for watch in watches {
                #expect(try await watch.program.ended() == .exit(1))
                #expect(try watch.stream.all("signedOut").last?.text("reason") == "revoked")
            }
        }
    }

    @Test("a refresh answers with an access token and its life, and no refresh token")
    func refreshAnswer() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--documented-ttl")
            let (tokens, _) = try await Guide.melchat.logIn(at: sandbox)
            let answer = try await Guide.melchat.refresh(tokens.refresh, at: sandbox)
            #expect(answer["success"] == .flag(true))
            #expect(answer["accessToken"]?.text != tokens.access)
            #expect(answer["expiresIn"] == .number(2_592_000))
            #expect(answer["refreshToken"] == nil)
            // "One-time use (backend invalidates old one)".
            let again = try await Guide.melchat.refresh(tokens.refresh, at: sandbox)
            #expect(again.status == 401)
            #expect(again["success"] == .flag(false))
        }
    }

    @Test("whether the user is new is told with the account")
    func account() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let login = try await bench.logIn(.melchat, at: sandbox.port)
            #expect(login.ending == .exit(0))
            let status = try await bench.operation("status", .melchat, at: sandbox.port)
            #expect(status.output.lines.contains { $0.hasSuffix("isNewUser: false") })
            let watch = try bench.watch(.bitbasel, at: sandbox.port)
            let issued = try await watch.stream.first("tokensIssued")
            #expect(issued["account"]?["has_profile"] == .text("true"))
            #expect(issued["account"]?["token_type"] == .text("bearer"))
        }
    }
}
