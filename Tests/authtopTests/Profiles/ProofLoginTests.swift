import FoundationEssentials
import TestSupport
import Testing

/// Sessions whose tokens are bound to a key (RFC 9449), on the sandbox, which checks each proof.
@Suite("Tokens that are bound to a key", .programs)
struct ProofLoginTests {
    private static let credentials = [
        "AUTHTOP_MINE_USERNAME": "sandbox", "AUTHTOP_MINE_PASSWORD": "password",
        "AUTHTOP_MINE_CLIENT_SECRET": "secret",
    ]

    private func profile(_ sandbox: Sandbox, on bench: Bench) throws {
        try bench.write(
            """
            extends = "oauth2"
            base_url = "http://127.0.0.1:\(sandbox.port)/oauth2"
            client_id = "sandbox"
            dpop = true
            feed = { path = "/ws/feed", token_in = "bearer" }
            """,
            to: "config/authtop/profiles/mine.toml"
        )
    }

    @Test("are watched through renewals, requests and the feed, with no refusal that counts")
    func watched() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "6s")
            try profile(sandbox, on: bench)
            let program = try bench.authtop(
                ["watch", "mine", "--json", "--every", "500ms", "--for", "120s"],
                with: Self.credentials
            )
            let stream = EventStream(program.output)
            var last = try await stream.first("tokensIssued")
            try await stream.first("feedOpened", after: last)
            for _ in 0..<3 { last = try await stream.first("refreshSucceeded", after: last) }
            try await stream.first("a request with the last token", after: last) {
                $0.isRequest("protected") && $0.status == 200
                    && $0.integer("usedGeneration") == last.generation
            }
            #expect(try stream.all("refreshFailed").map(\.line) == [])
            // The first nonce comes with the refusal of the login's first proof.
            let login = try stream.all("request").filter { $0.isRequest("login") }
            #expect(login.map { $0["nonceRetry"] } == [.flag(true)])
            #expect(login.map(\.status) == [200])
            #expect(!program.output.text.contains("eyJ"))
        }
    }

    @Test("are renewed and revoked by later runs, which have the key and no nonce")
    func stored() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "120s")
            try profile(sandbox, on: bench)
            for command in ["login", "refresh", "refresh", "request", "logout"] {
                let arguments =
                    [command, "mine"] + (command == "request" ? ["GET", "/resource"] : [])
                let program = try bench.authtop(arguments, with: Self.credentials)
                #expect(try await program.ended() == .exit(0), "\(command): \(program.errors.text)")
            }
            let report = try await sandbox.report()
            #expect(report.backend.counters["oauth2"]?.refreshes == 2)
            #expect(report.backend.counters["oauth2"]?.reuses == 0)
        }
    }

    @Test(
        "are checked, and what a challenge for a nonce does to the refresh token is named",
        arguments: [
            ([], 0, "leaves the refresh token alone"),
            (["--faults", "spent-by-challenge"], 1, "spends the refresh token"),
        ] as [([String], Int32, String)]
    )
    func checked(faults: [String], exit: Int32, finding: String) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox(["--access-ttl", "10m"] + faults)
            try profile(sandbox, on: bench)
            let check = try bench.authtop(
                [
                    "check", "mine", "--only",
                    "login,accept,refresh,errors,reuse,nonce,feed,logout",
                    "--json", "--expect", "nonce=kept",
                ],
                with: Self.credentials
            )
            #expect(try await check.ended() == .exit(exit), "\(check.errors.text)")
            #expect(check.output.text.contains(finding), "\(check.output.text)")
            #expect(check.output.text.contains("the feed opens with an access token"))
        }
    }

    @Test("cannot be brought to a check, which has another key")
    func imported() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            try profile(sandbox, on: bench)
            let check = try bench.authtop(
                ["check", "mine", "--login-command", "true"],
                with: Self.credentials
            )
            #expect(try await check.ended() == .exit(2))
            #expect(check.errors.text.contains("--login-command: mine binds its tokens to a key"))
        }
    }

    @Test("are of no use to a profile without the key")
    func stolen() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "120s")
            try profile(sandbox, on: bench)
            let login = try bench.authtop(["login", "mine"], with: Self.credentials)
            #expect(try await login.ended() == .exit(0), "\(login.errors.text)")
            let token = try bench.authtop(["token", "mine"], with: Self.credentials)
            #expect(try await token.ended() == .exit(0))
            let secret = try #require(token.output.lines.first)
            let request = HandMadeRequest(
                method: "GET",
                target: "/oauth2/resource",
                headers: ["Authorization": "Bearer \(secret)"]
            )
            #expect(try await request.send(to: sandbox.port).status == 401)
        }
    }
}
