import TestSupport
import Testing

@Suite("authtop login", .programs)
struct LoginCommandTests {
    @Test("keeps a session that watch goes on with", arguments: Guide.allCases)
    func keeps(guide: Guide) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let login = try await bench.logIn(guide, at: sandbox.port)
            #expect(login.output.lines.first == "\(guide.rawValue): logged in")
            #expect(login.output.text.contains("generation  1"))
            let watch = try bench.watch(
                guide,
                at: sandbox.port,
                "--vault",
                "file",
                credentials: [:]
            )
            let pair = try await watch.stream.first("tokensIssued")
            try await watch.program.interrupt()
            #expect(pair.text("origin") == "resumed")
            #expect(login.output.text.contains("‹\(pair.text("access") ?? "?")›"))
            #expect(try await sandbox.report().counters(of: guide)?.logins == 1)
        }
    }

    @Test("leaves a session alone that is alive already, and asks for no credentials")
    func again() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            _ = try await bench.logIn(.voltyks, at: sandbox.port)
            let login = try await bench.operation("login", .voltyks, at: sandbox.port)
            #expect(login.ending == .exit(0))
            #expect(login.output.lines.first?.contains("already logged in") == true)
            #expect(try await sandbox.report().counters(of: .voltyks)?.logins == 1)
        }
    }

    @Test(
        "for a scope is bad input where it names none, or where the scope is none",
        arguments: [
            ("read", "--scope: the login of voltyks names no scope"),
            ("", "--scope: expected words"),
            ("a\"b", "--scope: expected words"),
        ]
    )
    func withoutScope(scope: String, message: String) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let login = try await bench.operation(
                "login",
                .voltyks,
                at: sandbox.port,
                "--scope",
                scope
            )
            #expect(login.ending == .exit(2))
            #expect(login.errors.text.contains(message), "\(login.errors.text)")
        }
    }

    @Test("that is refused is 1, and says what the backend said")
    func refused() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            var credentials = Guide.voltyks.credentials
            credentials["AUTHTOP_VOLTYKS_PASSWORD"] = "wrong-horse"
            let login = try await bench.operation(
                "login",
                .voltyks,
                at: sandbox.port,
                credentials: credentials
            )
            #expect(login.ending == .exit(1))
            #expect(login.errors.text.contains("login failed (401)"))
            #expect(login.errors.text.contains("wrong-horse") == false)
        }
    }

    @Test("where no backend answers is 3")
    func unreachable() async throws {
        try await withBench { bench in
            let login = try await bench.operation(
                "login",
                .voltyks,
                at: 1,
                credentials: Guide.voltyks.credentials
            )
            #expect(login.ending == .exit(3))
            #expect(login.output.lines == [])
            #expect(login.errors.text.contains("trying again for some seconds"))
        }
    }

    @Test("and watch wait for a backend that is just starting", arguments: ["login", "watch"])
    func early(command: String) async throws {
        try await withBench { bench in
            let earlier = try await bench.sandbox()
            await earlier.program.stop()
            let base = "http://127.0.0.1:\(earlier.port)/voltyks"
            let program = try bench.authtop(
                [command, "voltyks", "--base-url", base, "--json"],
                with: Guide.voltyks.credentials
            )
            _ = try await eventually("a login") {
                program.output.text.contains("loginStarted") ? true : nil
            }
            _ = try bench.authtop(["sandbox", "--port", "\(earlier.port)"])
            _ = try await EventStream(program.output).first("tokensIssued")
            #expect(!program.output.text.contains("loginFailed"))
        }
    }

    @Test(
        "and its like have no use for a vault that forgets",
        arguments: ["login", "logout", "refresh"]
    )
    func memory(command: String) async throws {
        try await withBench { bench in
            let program = try await bench.operation(command, .voltyks, at: 1, "--vault", "memory")
            #expect(program.ending == .exit(2))
            #expect(program.errors.text.contains("--vault file"))
        }
    }

    @Test("prints the events of watch with --json")
    func events() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let login = try await bench.operation(
                "login",
                .voltyks,
                at: sandbox.port,
                "--json",
                credentials: Guide.voltyks.credentials
            )
            #expect(login.ending == .exit(0))
            let kinds = try EventStream(login.output).events.map(\.kind)
            #expect(kinds.first == "capabilities")
            #expect(kinds.contains("tokensIssued"))
            #expect(kinds.contains { $0.hasPrefix("feed") } == false)
        }
    }
}
