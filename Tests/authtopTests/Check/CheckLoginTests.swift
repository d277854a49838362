import TestSupport
import Testing

@Suite("authtop check: other ways to log in", .programs)
struct CheckLoginTests {
    /// A script that logs in to the sandbox as a user does, and prints the answer.
    private static let script = """
        import sys, urllib.request
        request = urllib.request.Request(
            sys.argv[1],
            b'{"email": "user@example.com", "password": "password"}',
            {"Content-Type": "application/json"})
        print(urllib.request.urlopen(request).read().decode())
        """

    @Test("a command logs in, once for each session, and nothing that it prints is shown")
    func command() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m", "--reuse", "strict")
            let script = try bench.write(Self.script, to: "log-in.py")
            let url = "http://127.0.0.1:\(sandbox.port)/intellipost\(Guide.intellipost.loginPath)"
            let check = try await bench.operation(
                "check",
                .intellipost,
                at: sandbox.port,
                "--quick",
                "--families",
                "3",
                "--exchanges",
                "--login-command",
                "\(Program.python) \(script) \(url)"
            )
            #expect(check.ending == .exit(0), "\(check.errors.text)")
            #expect(check.output.text.contains("strict (sandbox --reuse strict)"))
            #expect(check.output.text.contains("it needs more sessions than --families"))
            let counters = try #require(try await sandbox.report().counters(of: .intellipost))
            #expect((2...3).contains(counters.logins))
            #expect(!(check.output.text + check.errors.text).contains("eyJ"))
        }
    }

    @Test("a command that fails once others have logged in is told beside the report")
    func laterFailure() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m", "--reuse", "strict")
            let script = try bench.write(Self.script, to: "log-in.py")
            let mark = try bench.write("", to: "mark")
            let url = "http://127.0.0.1:\(sandbox.port)/intellipost\(Guide.intellipost.loginPath)"
            let check = try await bench.operation(
                "check",
                .intellipost,
                at: sandbox.port,
                "--quick",
                "--families",
                "3",
                "--login-command",
                "rm \(mark) 2>/dev/null || exit 7; \(Program.python) \(script) \(url)"
            )
            #expect(check.errors.text.contains("it ended with 7"), "\(check.errors.text)")
            #expect(check.output.text.contains("a refresh replaces the refresh token"))
        }
    }

    @Test(
        "a command that fails is bad input, and is not quoted",
        arguments: [
            ("exit 7", "it ended with 7"), ("printf 's3cr3t\\n1\\n2\\n'", "no access token in it"),
            ("no-such-s3cr3t-of-mine", "it ended with 127"),
        ]
    )
    func failingCommand(command: String, message: String) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let check = try await bench.operation(
                "check",
                .intellipost,
                at: sandbox.port,
                "--quick",
                "--login-command",
                command
            )
            #expect(check.ending == .exit(2))
            #expect(check.errors.text.contains(message), "\(check.errors.text)")
            #expect(!(check.output.text + check.errors.text).contains("s3cr3t"))
        }
    }

    @Test("imported tokens are the only session, and no login is sent")
    func imported() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m", "--reuse", "strict-revoke")
            let answer = try await HandMadeRequest(
                method: "POST",
                target: "/intellipost" + Guide.intellipost.loginPath,
                headers: ["Content-Type": "application/json"],
                body: #"{"email": "user@example.com", "password": "password"}"#
            ).send(to: sandbox.port).body
            let before = try await sandbox.report().counters(of: .intellipost)?.logins
            let check = try bench.authtop(
                [
                    "check", "intellipost", "--base-url",
                    "http://127.0.0.1:\(sandbox.port)/intellipost", "--import", "-", "--expect",
                    "policy=strict-revoke",
                ],
                reading: answer
            )
            #expect(try await check.ended() == .exit(0), "\(check.errors.text)")
            #expect(check.output.text.contains("at most 0 logins"), "\(check.output.text)")
            #expect(try await sandbox.report().counters(of: .intellipost)?.logins == before)
            #expect(!(check.output.text + check.errors.text).contains("eyJ"))
        }
    }

    @Test("a wrong password is sent once, if that is asked for")
    func wrongPassword() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let check = try await bench.operation(
                "check",
                .voltyks,
                at: sandbox.port,
                "--only",
                "login",
                "--wrong-password",
                credentials: Guide.voltyks.credentials
            )
            #expect(check.ending == .exit(0), "\(check.errors.text)")
            #expect(check.output.text.contains("a wrong password: 401"), "\(check.output.text)")
            let counters = try #require(try await sandbox.report().counters(of: .voltyks))
            #expect(counters.logins == 1 && counters.loginsRejected == 1)
        }
    }

    @Test("the policy is an image on demand")
    func badge() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m", "--reuse", "strict-revoke")
            let check = try await bench.operation(
                "check",
                .voltyks,
                at: sandbox.port,
                "--only",
                "login,reuse",
                "--badge",
                credentials: Guide.voltyks.credentials
            )
            #expect(check.ending == .exit(0), "\(check.errors.text)")
            #expect(check.output.lines.first?.hasPrefix("<svg ") == true)
            #expect(check.output.text.contains(">strict-revoke</text>"), "\(check.output.text)")
        }
    }

    @Test("a guide's checklist is for its own dialect")
    func otherDialect() async throws {
        try await withBench { bench in
            let check = try bench.authtop(
                ["check", "oauth2", "--base-url", "http://127.0.0.1:1", "--against", "guide"]
            )
            #expect(try await check.ended() == .exit(2))
            #expect(
                check.errors.text.contains("oauth2, which has no guide"),
                "\(check.errors.text)"
            )
        }
    }
}
