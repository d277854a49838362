import FoundationEssentials
import Glibc
import TestSupport
import Testing

@Suite("Several sessions in one run", .programs)
struct SeveralSessionsTests {
    private static let credentials = [
        "AUTHTOP_A_EMAIL": "user@example.com", "AUTHTOP_A_PASSWORD": "password",
        "AUTHTOP_B_IDENTITY_TOKEN": "sandbox",
        "AUTHTOP_C_EMAIL": "user@example.com", "AUTHTOP_C_PASSWORD": "password",
    ]

    /// Three profiles, a, b and c, each on a sandbox of its own.
    private static func sandboxes(
        _ bench: Bench,
        accessLife: String,
        vault: String = "memory"
    ) async throws -> [Sandbox] {
        var sandboxes: [Sandbox] = []
        for (name, guide) in [("a", Guide.voltyks), ("b", .bitbasel), ("c", .creatist)] {
            let sandbox = try await bench.sandbox("--access-ttl", accessLife)
            try bench.write(
                """
                extends = "\(guide.rawValue)"
                base_url = "http://127.0.0.1:\(sandbox.port)/\(guide.rawValue)"
                vault = "\(vault)"
                """,
                to: "config/authtop/profiles/\(name).toml"
            )
            sandboxes.append(sandbox)
        }
        return sandboxes
    }

    @Test("a backend that is stopped delays the renewals of no other session")
    func stopped() async throws {
        try await withBench { bench in
            let sandboxes = try await Self.sandboxes(bench, accessLife: "9s")
            let program = try bench.authtop(
                ["watch", "a", "b", "c", "--json", "--for", "120s"],
                with: Self.credentials
            )
            let stream = EventStream(program.output)
            for name in ["a", "b", "c"] {
                try await stream.first("tokens of \(name)") {
                    $0.kind == "tokensIssued" && $0.text("session") == name
                }
            }
            sandboxes[0].program.send(SIGSTOP)
            defer { sandboxes[0].program.send(SIGCONT) }
            try await stream.first("a session that is not well") {
                $0.kind == "stateChanged" && $0.text("session") == "a"
                    && ["blocked", "expired", "unknown"].contains($0.text("to"))
            }
            for name in ["b", "c"] {
                for count in [3, 5] {
                    try await eventually("\(count) renewals of \(name)") {
                        try stream.all("refreshSucceeded")
                            .count { $0.text("session") == name } >= count
                    }
                }
            }
            let problem = try stream.events.filter { event in
                ["b", "c"].contains(event.text("session"))
                    && ["refreshFailed", "signedOut"].contains(event.kind)
            }
            #expect(problem.map(\.line).isEmpty)
            let renewals = try stream.all("refreshSucceeded").filter { $0.text("session") != "a" }
            #expect(renewals.allSatisfy { $0.number("leadLeft") ?? 0 > 0 })
        }
    }

    @Test("one that was signed out ends neither the run nor the others, and decides the exit code")
    func exitCode() async throws {
        try await withBench { bench in
            let sandboxes = try await Self.sandboxes(bench, accessLife: "4s")
            try await sandboxes[0].switchOn("early-revocation")
            let program = try bench.authtop(
                ["watch", "a", "b", "--json", "--for", "30s"],
                with: Self.credentials
            )
            let stream = EventStream(program.output)
            let ended = try await stream.first("the end of a") {
                $0.kind == "signedOut" && $0.text("session") == "a"
                    && $0.text("reason") != "never"
            }
            try await stream.first("a renewal of b", after: ended) {
                $0.kind == "refreshSucceeded" && $0.text("session") == "b"
            }
            #expect(try await program.ended() == .exit(1))
            #expect(program.errors.text.contains("a: the session ended"))
        }
    }

    @Test("all alive at the end is exit code 0")
    func alive() async throws {
        try await withBench { bench in
            _ = try await Self.sandboxes(bench, accessLife: "60s")
            let program = try bench.authtop(
                ["watch", "a", "b", "c", "--json", "--for", "12s"],
                with: Self.credentials
            )
            #expect(try await program.ended() == .exit(0))
            let stream = EventStream(program.output)
            let first = try stream.all("capabilities")
            #expect(first.compactMap { $0.text("session") }.sorted() == ["a", "b", "c"])
            #expect(first.allSatisfy { $0.integer("schema") == 1 })
            #expect(try stream.events.first?.kind == "capabilities")
        }
    }

    @Test(
        "what makes sense for one session only is refused for several",
        arguments: [
            (["a", "b", "--base-url", "http://127.0.0.1:1"], "--base-url is for one session"),
            (["a", "b", "--credentials", "x"], "--credentials is for one session"),
            (["a", "b", "--import", "x"], "--import is for one session"),
            (["--all", "--base-url", "http://127.0.0.1:1"], "--base-url is for one session"),
            (["a", "a"], "a at http://127.0.0.1"),
            (["a", "--all"], "--all takes no profile"),
            ([], "which backend? Expected a profile"),
        ]
    )
    func mistakes(arguments: [String], says: String) async throws {
        try await withBench { bench in
            for name in ["a", "b"] {
                try bench.write(
                    "extends = \"voltyks\"\nbase_url = \"http://127.0.0.1:1\"",
                    to: "config/authtop/profiles/\(name).toml"
                )
            }
            let program = try bench.authtop(["watch"] + arguments + ["--json"])
            #expect(try await program.ended() == .exit(2))
            #expect(program.errors.text.contains(says), "\(program.errors.text)")
            #expect(program.output.lines.isEmpty)
        }
    }

    @Test("--all watches what is stored, and what has its credentials, and says what it leaves out")
    func all() async throws {
        try await withBench { bench in
            let sandboxes = try await Self.sandboxes(bench, accessLife: "60s", vault: "file")
            let port = sandboxes[0].port
            let stored = try await bench.logIn(.voltyks, at: port)
            #expect(stored.ending == .exit(0))
            var credentials = Self.credentials
            credentials["AUTHTOP_C_PASSWORD"] = nil
            let program = try bench.authtop(
                ["watch", "--all", "--json", "--for", "120s"],
                with: credentials
            )
            let stream = EventStream(program.output)
            for name in ["a", "b", "voltyks"] {
                try await stream.first("tokens of \(name)") {
                    $0.kind == "tokensIssued" && $0.text("session") == name
                }
            }
            try await program.interrupt()
            let sessions = Set(try stream.all("tokensIssued").compactMap { $0.text("session") })
            #expect(sessions == ["a", "b", "voltyks"])
            #expect(program.errors.text.contains("c is left out: no password for c"))
        }
    }

    @Test("with nothing to watch, --all says what it looked for")
    func nothing() async throws {
        try await withBench { bench in
            let program = try bench.authtop(["watch", "--all", "--json"])
            #expect(try await program.ended() == .exit(2))
            #expect(program.errors.text.contains("no session is stored"))
        }
    }

    @Test("the screen has a strip; ] selects, and keys act on the selected session")
    func screen() async throws {
        try await withBench { bench in
            _ = try await Self.sandboxes(bench, accessLife: "10m")
            let terminal = try await bench.terminal(with: Self.credentials)
            try await terminal.enter("authtop watch a b c")
            try await terminal.see("▸● a", "● b", "● c", "authtop  a · ", "generation 1")
            try await terminal.press("]")
            try await terminal.see("▸● b", "authtop  b · ")
            try await terminal.press("r")
            try await terminal.see("authtop  b · ", "generation 2")
            try await terminal.press("]", "]")
            try await terminal.see("▸● a", "authtop  a · ", "generation 1")
            for size in [(80, 24), (60, 16)] {
                try await terminal.resize(columns: size.0, rows: size.1)
                try await terminal.see("▸● a", "● b", "● c")
            }
            try await terminal.press("q")
            try await terminal.seePrompt(after: 0)
        }
    }

    @Test("a session without a credential asks for it on the screen, the others go on")
    func form() async throws {
        try await withBench { bench in
            _ = try await Self.sandboxes(bench, accessLife: "10m")
            var credentials = Self.credentials
            credentials["AUTHTOP_A_PASSWORD"] = nil
            let terminal = try await bench.terminal(with: credentials)
            try await terminal.enter("authtop watch a b")
            try await terminal.see("▸○ a", "● b", "login failed")
            try await terminal.press("o")
            try await terminal.see("Log in to voltyks", "missing")
            try await terminal.type("password")
            try await terminal.press("Enter")
            try await terminal.see("▸● a", "● b")
        }
    }
}
