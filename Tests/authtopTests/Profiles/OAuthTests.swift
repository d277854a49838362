import TestSupport
import Testing

@Suite("OAuth 2.0, watched", .programs)
struct OAuthTests {
    @Test(
        "is renewed by its refresh token, however the client proves itself",
        arguments: ["basic", "body"]
    )
    func renewed(client: String) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "3s")
            let stream = try watch("client_auth = \"\(client)\"", sandbox, bench)
            var last = try await stream.first("tokensIssued")
            for _ in 0..<2 { last = try await stream.first("refreshSucceeded", after: last) }
            let counters = try await sandbox.report().backend.counters["oauth2"]
            #expect(counters?.logins == 1)
            #expect(counters?.refreshes ?? 0 >= 2)
        }
    }

    @Test("logs in again where there is no refresh token, and an outage does not end that")
    func clientCredentials() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "4s")
            let stream = try watch("grant = \"client_credentials\"", sandbox, bench)
            let first = try await stream.first("tokensIssued")
            let second = try await stream.first("tokensIssued", after: first)
            try await sandbox.order(#"{"once": "server-error:login"}"#)
            let failed = try await stream.first("loginFailed", after: second)
            try await stream.first("tokensIssued", after: failed)
            let counters = try await sandbox.report().backend.counters["oauth2"]
            #expect(counters?.logins ?? 0 >= 3)
            #expect(counters?.refreshes == 0)
            #expect(try stream.all("signedOut").isEmpty)
        }
    }

    @Test("begins with a refresh token that one has, and goes on with what that brings")
    func refreshToken() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "3s")
            var request = HandMadeRequest(
                method: "POST",
                target: "/oauth2/token",
                body: "grant_type=password&username=sandbox&password=password"
                    + "&client_id=sandbox&client_secret=secret"
            )
            request.headers["Content-Type"] = "application/x-www-form-urlencoded"
            let answer = try await request.send(to: sandbox.port)
            let token = try #require(answer["refresh_token"]?.text)
            let stream = try watch(
                "grant = \"refresh_token\"",
                sandbox,
                bench,
                with: ["AUTHTOP_MINE_REFRESH_TOKEN": token]
            )
            let first = try await stream.first("tokensIssued")
            try await stream.first("refreshSucceeded", after: first)
            #expect(try await sandbox.report().backend.counters["oauth2"]?.logins == 1)
        }
    }

    private func watch(
        _ lines: String,
        _ sandbox: Sandbox,
        _ bench: Bench,
        with more: [String: String] = [:]
    ) throws -> EventStream {
        let path = try bench.write(
            """
            extends = "oauth2"
            base_url = "http://127.0.0.1:\(sandbox.port)/oauth2"
            \(lines)
            """,
            to: "mine.toml"
        )
        let credentials = [
            "AUTHTOP_MINE_USERNAME": "sandbox", "AUTHTOP_MINE_PASSWORD": "password",
            "AUTHTOP_MINE_CLIENT_ID": "sandbox", "AUTHTOP_MINE_CLIENT_SECRET": "secret",
        ]
        let program = try bench.authtop(
            ["watch", path, "--json", "--for", "120s"],
            with: credentials.merging(more) { $1 }
        )
        return EventStream(program.output)
    }
}
