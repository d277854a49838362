import TestSupport
import Testing

@Suite("profiles validate --try", .programs)
struct ProfileTrialCommandTests {
    @Test(
        "reports how the keys of a dialect were used, and leaves no session behind",
        arguments: ["voltyks", "bitbasel", "melchat", "creatist", "intellipost", "oauth2"]
    )
    func dialects(name: String) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "60s")
            let program = try bench.authtop(
                [
                    "profiles", "validate", name, "--try", "--base-url",
                    "http://127.0.0.1:\(sandbox.port)/\(name)",
                ],
                with: Self.credentials(of: name)
            )
            #expect(try await program.ended() == .exit(0), "\(program.errors.text)")
            let lines = program.output.lines
            #expect(Self.use("login.response.access", in: lines) == "matched")
            #expect(Self.use("refresh.request", in: lines) == "matched")
            #expect(Self.use("refresh.terminal.0", in: lines) == "never needed")
            #expect(Self.use("protected.request", in: lines) == "matched")
            let steps = "logged in, renewed once, used the token, and "
            #expect(lines.last?.hasPrefix("\(name): \(steps)") == true)
            let report = try await sandbox.report()
            #expect(report.backend.counters[name]?.logins == 1)
            #expect(report.backend.counters[name]?.refreshes == 1)
            let hasLogout = ["melchat", "intellipost", "oauth2"].contains(name)
            #expect(report.backend.counters[name]?.logouts == (hasLogout ? 1 : 0))
            let left = try bench.authtop(["status", name], with: Self.credentials(of: name))
            #expect(try await left.ended() != .exit(0))
        }
    }

    @Test("names what the profile lacks, and nothing of what the backend sent")
    func lacking() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "60s")
            try bench.write(
                """
                base_url = "http://127.0.0.1:\(sandbox.port)/oauth2"
                client_auth = "basic"
                [login]
                request = "POST /token"
                body = "form"
                credentials = ["username", "password"]
                fields = { grant_type = "password", username = "{username}", password = "{password}" }
                [login.response]
                access = "access_token"
                refresh = "refresh_token"
                subject = "user.id"
                [refresh]
                request = "POST /token"
                token_in = "form:refresh_token"
                fields = { grant_type = "refresh_token" }
                [refresh.response]
                access = "access_token"
                [[refresh.terminal]]
                status = 400
                """,
                to: "config/authtop/profiles/mine.toml"
            )
            let program = try bench.authtop(
                ["profiles", "validate", "mine", "--try"],
                with: Self.credentials(of: "mine")
            )
            #expect(try await program.ended() == .exit(0), "\(program.errors.text)")
            let text = program.output.text
            #expect(Self.use("login.response.subject", in: program.output.lines) == "did not match")
            #expect(
                text.contains(
                    "expires_in is in the answer to the refresh: add "
                        + "refresh.response.access_expires = \"seconds:expires_in\""
                )
            )
            #expect(text.contains("no key reads, in the answer to the login: expires_in"))
            #expect(text.contains("the profile has no logout"))
        }
    }

    @Test("exits as the other commands do, after the report")
    func exits() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "60s")
            func attempt(_ lines: String, password: String = "password") async throws -> Program {
                try bench.write(
                    "extends = \"oauth2\"\n\(lines)",
                    to: "config/authtop/profiles/mine.toml"
                )
                var credentials = Self.credentials(of: "mine")
                credentials["AUTHTOP_MINE_PASSWORD"] = password
                let program = try bench.authtop(
                    ["profiles", "validate", "mine", "--try"],
                    with: credentials
                )
                try await program.ended()
                return program
            }
            let base = "base_url = \"http://127.0.0.1:\(sandbox.port)/oauth2\""
            let wrong = try await attempt(base, password: "wrong")
            #expect(wrong.ending == .exit(1))
            #expect(Self.use("login.response.access", in: wrong.output.lines) == "never needed")
            let lost = try await attempt("\(base)\nrefresh.request = \"POST /nowhere\"")
            #expect(lost.ending == .exit(2))
            #expect(Self.use("refresh.request", in: lost.output.lines) == "did not match")
            let refused = try await attempt("\(base)\nprotected.token_in = \"header:X-Other\"")
            #expect(refused.ending == .exit(1))
            #expect(Self.use("protected.request", in: refused.output.lines) == "did not match")
            let unused = try await attempt(
                "\(base)\n[protected]\nrequest = \"GET /nowhere\"\ntoken_in = \"bearer\""
            )
            #expect(unused.ending == .exit(0))
            #expect(unused.output.lines.last?.contains("request was answered 404") == true)
            #expect(Self.use("protected.request", in: unused.output.lines) == "did not match")
            let away = try await attempt("base_url = \"http://127.0.0.1:1\"")
            #expect(away.ending == .exit(3))
            // Another machine is asked only after a confirmation, which no user is there to give.
            let foreign = try await attempt("base_url = \"https://auth.example.com\"")
            #expect(foreign.ending == .exit(2))
            #expect(foreign.errors.text.contains("--yes"))
        }
    }

    /// The use of a key, by the first of its lines.
    private static func use(_ key: String, in lines: [String]) -> String? {
        let line = lines.first { $0.hasPrefix("  \(key) ") }
        return ["did not match", "never needed", "matched"].first { line?.contains($0) ?? false }
    }

    private static func credentials(of name: String) -> [String: String] {
        let prefix = "AUTHTOP_\(name.uppercased())_"
        let values = [
            "EMAIL": "user@example.com", "PASSWORD": "password", "CODE": "123456",
            "IDENTITY_TOKEN": "sandbox", "USERNAME": "sandbox", "CLIENT_ID": "sandbox",
            "CLIENT_SECRET": "secret",
        ]
        return Dictionary(uniqueKeysWithValues: values.map { (prefix + $0.key, $0.value) })
    }
}
