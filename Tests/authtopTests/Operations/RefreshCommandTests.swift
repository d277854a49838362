import TestSupport
import Testing

@Suite("authtop refresh", .programs)
struct RefreshCommandTests {
    @Test(
        "brings the next generation, and says whether the token rotated",
        arguments: Guide.allCases
    )
    func renews(guide: Guide) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m", "--reuse", guide.reuse)
            _ = try await bench.logIn(guide, at: sandbox.port)
            let refresh = try await bench.operation("refresh", guide, at: sandbox.port)
            #expect(refresh.ending == .exit(0), "\(refresh.errors.text)")
            let first = try #require(refresh.output.lines.first)
            #expect(first.contains("renewed in"))
            let token =
                switch guide {
                case .melchat: "without a new refresh token: the old one is spent"
                case .creatist: "without a refresh token: the old one is kept"
                case _ where guide.rotates: "with a new refresh token"
                default: "with the same refresh token"
                }
            #expect(first.hasSuffix(token))
            #expect(refresh.output.text.contains("generation  2"))
            #expect(!refresh.output.text.contains("due now"))
            #expect(refresh.output.lines.allSatisfy { $0.count <= 80 })
            #expect(try await sandbox.report().counters(of: guide)?.refreshes == 1)
        }
    }

    @Test("in JSON lines, the last one is the plan of the new pair")
    func planOfTheNewPair() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            _ = try await bench.logIn(.voltyks, at: sandbox.port)
            let refresh = try await bench.operation("refresh", .voltyks, at: sandbox.port, "--json")
            let events = try refresh.output.lines.map(JSON.object)
            #expect(events.last?["kind"]?.text == "renewalPlanned")
            #expect(events.last?["plan"]?.text == "scheduled")
            #expect(events.last?["generation"] == .number(2))
        }
    }

    @Test("a one-time token that was not replaced: the next renewal will be refused")
    func oneTimeToken() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            _ = try await bench.logIn(.melchat, at: sandbox.port)
            let first = try await bench.operation("refresh", .melchat, at: sandbox.port)
            #expect(first.output.text.contains("the next renewal will be refused"))
            let status = try await bench.operation("status", .melchat, at: sandbox.port, "--json")
            #expect(status.output.text.contains("the next renewal will be refused"))
            let next = try await bench.operation("refresh", .melchat, at: sandbox.port)
            #expect(next.ending == .exit(1))
        }
    }

    @Test("without a session is 1, and names the way to one")
    func signedOut() async throws {
        try await withBench { bench in
            let refresh = try await bench.operation("refresh", .voltyks, at: 1)
            #expect(refresh.ending == .exit(1))
            #expect(refresh.errors.text.contains("run: authtop login voltyks"))
        }
    }

    @Test("where no backend answers is 3, and the session is as good as before")
    func unreachable() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let relay = try bench.relay(to: sandbox)
            _ = try await bench.logIn(.voltyks, at: relay.port)
            try await relay.refuse()
            let refresh = try await bench.operation("refresh", .voltyks, at: relay.port)
            #expect(refresh.ending == .exit(3))
            #expect(refresh.errors.text.contains("you stay logged in"))
            try await relay.accept()
            let next = try await bench.operation("refresh", .voltyks, at: relay.port)
            #expect(next.ending == .exit(0), "\(next.errors.text)")
        }
    }

    @Test("that the backend refuses is 1, with the reason in words")
    func refused() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox(
                "--access-ttl",
                "10m",
                "--faults",
                "early-revocation:once:login"
            )
            _ = try await bench.logIn(.voltyks, at: sandbox.port)
            let refresh = try await bench.operation("refresh", .voltyks, at: sandbox.port)
            #expect(refresh.ending == .exit(1), "\(refresh.output.text)")
            #expect(
                refresh.errors.text.contains(
                    "the backend refused the refresh token: \"RefreshTokenMismatch\""
                )
            )
            #expect(refresh.errors.text.contains("run: authtop login voltyks"))
            // The next one still knows it.
            for command in ["refresh", "token"] {
                let again = try await bench.operation(command, .voltyks, at: sandbox.port)
                #expect(again.ending == .exit(1))
                #expect(
                    again.errors.text.contains("the backend refused the refresh token"),
                    "\(command): \(again.errors.text)"
                )
            }
        }
    }

    @Test("whose answer is lost asks again with the same token")
    func answerLost() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m", "--reuse", "grace")
            let relay = try bench.relay(to: sandbox)
            _ = try await bench.logIn(.voltyks, at: relay.port)
            relay.prepare(.answerLost, for: Guide.voltyks.refreshPath)
            let refresh = try await bench.operation("refresh", .voltyks, at: relay.port)
            #expect(refresh.ending == .exit(0), "\(refresh.errors.text)")
            #expect(relay.requests(to: Guide.voltyks.refreshPath).count == 2)
        }
    }
}
