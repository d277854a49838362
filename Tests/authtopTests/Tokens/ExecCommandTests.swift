import Foundation
import Glibc
import TestSupport
import Testing

@Suite("authtop exec", .programs)
struct ExecCommandTests {
    /// A session, and what runs a program with its token.
    private struct Runner {
        let bench: Bench
        let sandbox: Sandbox

        /// A long life, so that nothing is renewed.
        init(on bench: Bench) async throws {
            self.bench = bench
            sandbox = try await bench.sandbox("--access-ttl", "10m")
            _ = try await bench.logIn(.voltyks, at: sandbox.port)
        }

        var arguments: [String] {
            ["exec", "voltyks", "--base-url", "http://127.0.0.1:\(sandbox.port)/voltyks"]
        }

        func start(_ command: String...) throws -> Program {
            try bench.authtop(arguments + ["--"] + command)
        }
    }

    @Test("runs a program with its streams and a token that the backend accepts")
    func streams() async throws {
        try await withBench { bench in
            let runner = try await Runner(on: bench)
            let script = #"cat; printf '%s\n' "$AUTHTOP_TOKEN" "$1"; echo aside >&2; exit 7"#
            let program = try bench.authtop(
                runner.arguments + ["--", "sh", "-c", script, "sh", "--env"],
                reading: "typed\n"
            )
            #expect(try await program.ended() == .exit(7))
            #expect(program.output.lines.first == "typed")
            #expect(program.output.lines.last == "--env")
            #expect(program.errors.lines == ["aside"])
            let token = try #require(program.output.lines.dropFirst().first)
            #expect(try await Guide.voltyks.ask(with: token, at: runner.sandbox).status == 200)
        }
    }

    @Test("gives a program an address of the current token, which ends with the program")
    func address() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "8s", "--reuse", "strict-revoke")
            _ = try await bench.logIn(.voltyks, at: sandbox.port)
            let script =
                #"trap 'exit 5' TERM; echo "$AUTHTOP_TOKEN"; echo "$AUTHTOP_TOKEN_URL"; "#
                + "while :; do sleep 0.1; done"
            let program = try bench.authtop([
                "exec", "voltyks", "--base-url", "http://127.0.0.1:\(sandbox.port)/voltyks", "--",
                "sh", "-c", script,
            ])
            let lines = try await eventually("the address", evidence: { program.errors.text }) {
                program.output.lines.count == 2 ? program.output.lines : nil
            }
            #expect(lines[1].wholeMatch(of: /http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}/) != nil)
            var tokens: Set<String> = [lines[0]]
            try await eventually("three tokens") {
                let answer = try await HandMadeBrowser.get(lines[1])
                #expect(answer.status == 200)
                if tokens.insert(answer.body).inserted {
                    let asked = try await Guide.voltyks.ask(with: answer.body, at: sandbox)
                    #expect(asked.status == 200)
                }
                return tokens.count >= 3
            }
            let other = String(lines[1].dropLast()) + (lines[1].hasSuffix("0") ? "1" : "0")
            #expect(try await HandMadeBrowser.get(other).status == 404)
            #expect(!program.commandLine.contains(lines[1].suffix(32)))
            _ = try await bench.operation("logout", .voltyks, at: sandbox.port)
            try await eventually("the end of the session") {
                try await HandMadeBrowser.get(lines[1]).status == 410
            }
            program.send(SIGTERM)
            #expect(try await program.ended() == .exit(5))
            await #expect(throws: (any Error).self) { try await HandMadeBrowser.get(lines[1]) }
            let counters = try #require(try await sandbox.report().counters(of: .voltyks))
            #expect(counters.reuses == 0)
        }
    }

    /// Asks at the address in its environment, as the user with the number in its argument.
    private static let visitor = """
        import os, sys, urllib.error, urllib.request
        user = int(sys.argv[1])
        if user != os.getuid():
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
        try:
            print(urllib.request.urlopen(os.environ["URL"]).status)
        except urllib.error.HTTPError as error:
            print(error.code)
        """

    @Test(
        "refuses another user's program the token, also one that knows the address",
        .enabled(if: geteuid() == 0, "only root can run a program as another user")
    )
    func otherUser() async throws {
        try await withBench { bench in
            let runner = try await Runner(on: bench)
            let script = #"echo "$AUTHTOP_TOKEN_URL"; while :; do sleep 0.1; done"#
            let program = try runner.start("sh", "-c", script)
            let address = try await eventually("the address", evidence: { program.errors.text }) {
                program.output.lines.first
            }
            for (user, status) in [(65_534, "403"), (Int(getuid()), "200")] {
                let visitor = bench.keep(
                    try Program(
                        Program.python,
                        ["-c", Self.visitor, "\(user)"],
                        environment: ["URL": address]
                    )
                )
                #expect(try await visitor.ended() == .exit(0), "\(visitor.errors.text)")
                #expect(visitor.output.lines == [status])
            }
            program.send(SIGTERM)
            _ = try await program.ended()
        }
    }

    @Test("names the variable as asked, which no argument shows")
    func variable() async throws {
        try await withBench { bench in
            let runner = try await Runner(on: bench)
            let program = try bench.authtop(
                runner.arguments + [
                    "--env", "API_TOKEN", "--", "sh", "-c",
                    "echo ${#API_TOKEN} ${AUTHTOP_TOKEN-unset}; cat /proc/$$/cmdline | tr '\\0' ' '"
                        + "; cat /proc/$PPID/cmdline | tr '\\0' ' '; echo; echo $API_TOKEN",
                ]
            )
            #expect(try await program.ended() == .exit(0), "\(program.errors.text)")
            let token = try #require(program.output.lines.last)
            #expect(program.output.lines.first == "\(token.count) unset")
            #expect(!program.output.lines.dropLast().joined().contains(token.suffix(12)))
        }
    }

    @Test("gives a program no credentials, which are variables of authtop's own")
    func credentials() async throws {
        try await withBench { bench in
            let runner = try await Runner(on: bench)
            let names = ["AUTHTOP_VOLTYKS_PASSWORD", "AUTHTOP_OTHER_CLIENT_SECRET"]
            let program = try bench.authtop(
                runner.arguments + ["--", "env"],
                with: Dictionary(uniqueKeysWithValues: names.map { ($0, "s3cr3t") })
            )
            #expect(try await program.ended() == .exit(0), "\(program.errors.text)")
            #expect(program.output.lines.contains { $0.hasPrefix("AUTHTOP_TOKEN=") })
            #expect(!program.output.text.contains("s3cr3t"))
        }
    }

    @Test("ends as the program that a signal ended", arguments: [SIGKILL, SIGTERM, SIGSEGV])
    func killed(number: Int32) async throws {
        try await withBench { bench in
            let program = try await Runner(on: bench).start("sh", "-c", "kill -\(number) $$")
            #expect(try await program.ended() == .exit(128 + number))
        }
    }

    @Test(
        "passes signals on, and waits for what the program makes of them",
        arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2]
    )
    func signals(number: Int32) async throws {
        try await withBench { bench in
            let program = try await Runner(on: bench).start(
                "sh",
                "-c",
                "trap 'echo got; exit 9' \(number); echo ready; while :; do sleep 0.1; done"
            )
            try await eventually("the program") { program.output.lines == ["ready"] }
            program.send(number)
            #expect(try await program.ended() == .exit(9))
            #expect(program.output.lines == ["ready", "got"])
        }
    }

    @Test("leaves Ctrl-C to the program, which gets it once, and Ctrl-Z to the shell")
    func terminal() async throws {
        try await withBench { bench in
            let runner = try await Runner(on: bench)
            let script = try bench.write(
                """
                trap 'n=$((n + 1))' INT
                echo begun
                read line
                echo "interrupted $n times, then $line"
                exit 3
                """,
                to: "script"
            )
            let terminal = try await bench.terminal()
            let command = runner.arguments.joined(separator: " ")
            try await terminal.enter("authtop \(command) -- bash \(script)")
            try await terminal.see("begun")
            try await terminal.press("C-z")
            try await terminal.seePrompt(after: 128 + SIGTSTP)
            try await terminal.enter("fg")
            try await terminal.press("C-c")
            try await terminal.enter("done")
            try await terminal.see("interrupted 1 times, then done")
            try await terminal.seePrompt(after: 3)
        }
    }

    @Test("gives the program the file mode mask and the descriptors that it was given, no others")
    func inheritance() async throws {
        try await withBench { bench in
            let runner = try await Runner(on: bench)
            let script = "umask 027; exec 5</dev/null; exec \"$0\" \"$@\""
            let program = bench.keep(
                try Program(
                    "/bin/sh",
                    ["-c", script, Authtop.path] + runner.arguments
                        + ["--", "sh", "-c", "umask; echo /proc/$$/fd/*"],
                    environment: bench.environment
                )
            )
            #expect(try await program.ended() == .exit(0), "\(program.errors.text)")
            #expect(program.output.lines.first == "0027")
            let numbers = (program.output.lines.last ?? "").split(separator: " ")
                .compactMap { $0.split(separator: "/").last }
            // While the shell expands the pattern, the folder is open as well.
            #expect(Set(numbers).subtracting(["3"]) == ["0", "1", "2", "5"])
        }
    }

    @Test(
        "says what it cannot run, before anything is sent",
        arguments: [
            (["--", "no-such-program"], "exec: no-such-program was not found", 127),
            (["--", "/no/such/program"], "exec: /no/such/program was not found", 127),
            (["--", "/etc/passwd"], "exec: /etc/passwd is not executable", 126),
            ([], "Missing expected argument", 2),
            (["--env", "A B", "--", "true"], "--env: expected letters", 2),
            (
                ["--env", "AUTHTOP_TOKEN_URL", "--", "true"],
                "--env: AUTHTOP_TOKEN_URL has the address", 2
            ),
        ] as [([String], String, Int32)]
    )
    func mistakes(arguments: [String], message: String, code: Int32) async throws {
        try await withBench { bench in
            let program = try bench.authtop(
                ["exec", "voltyks", "--base-url", "http://127.0.0.1:1/voltyks"] + arguments
            )
            #expect(try await program.ended() == .exit(code))
            #expect(program.errors.text.contains(message))
        }
    }

    @Test("ends with 126 for a folder, which the system does not run")
    func folder() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            _ = try await bench.logIn(.voltyks, at: sandbox.port)
            let base = "http://127.0.0.1:\(sandbox.port)/voltyks"
            let program = try bench.authtop(["exec", "voltyks", "--base-url", base, "--", "/etc"])
            #expect(try await program.ended() == .exit(126))
            #expect(program.errors.text.contains("authtop: exec: "))
        }
    }

    @Test("without a session runs nothing, and is 1")
    func signedOut() async throws {
        try await withBench { bench in
            let program = try bench.authtop(
                ["exec", "voltyks", "--base-url", "http://127.0.0.1:1/voltyks"]
                    + ["--", "echo", "run"]
            )
            #expect(try await program.ended() == .exit(1))
            #expect(program.output.lines == [])
        }
    }
}
