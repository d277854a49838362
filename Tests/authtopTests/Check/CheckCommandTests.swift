import Foundation
import TestSupport
import Testing

@Suite("authtop check", .programs)
struct CheckCommandTests {
    @Test(
        "names the sandbox's policy within seconds, and sends what it says",
        arguments: [
            ("strict", "strict"), ("strict-revoke", "strict-revoke"), ("grace", "grace"),
            ("old-lives", "old-lives"),
        ]
    )
    func names(reuse: String, name: String) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m", "--reuse", reuse)
            let guide = Guide.voltyks
            let check = try await bench.operation(
                "check",
                guide,
                at: sandbox.port,
                "--quick",
                "--json",
                "--expect",
                "policy=\(name)",
                credentials: guide.credentials
            )
            #expect(check.ending == .exit(0), "\(check.errors.text)")
            let report = try JSON.object(in: check.output.text)
            #expect(JSON.object(report)["policy.name"] == .text(name))
            #expect(JSON.object(report)["policy.sandbox"] == .text(name))
            let counters = try #require(try await sandbox.report().counters(of: guide))
            #expect(report["logins"] == .number(Double(counters.logins)))
            #expect(counters.loginsRejected == 0)
            let states = try await sandbox.report()
            #expect(states.sessions(of: guide).count <= counters.logins)
        }
    }

    @Test("leaves open what a quick check cannot tell apart")
    func leavesOpen() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m", "--reuse", "none")
            let guide = Guide.intellipost
            let check = try await bench.operation(
                "check",
                guide,
                at: sandbox.port,
                "--quick",
                "--expect",
                "policy=reusable",
                credentials: guide.credentials
            )
            #expect(check.ending == .exit(3), "\(check.errors.text)")
            #expect(check.output.text.contains("not decided: grace-forks or reusable"))
            #expect(check.output.text.contains("not decided: policy=reusable"))
        }
    }

    @Test("of what shows no policy says that none was asked for, and needs no login for a look")
    func onlyReach() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let check = try await bench.operation(
                "check",
                .voltyks,
                at: sandbox.port,
                "--only",
                "reach"
            )
            #expect(check.ending == .exit(0), "\(check.errors.text)")
            #expect(check.output.text.contains("at most 0 logins, 0 refreshes and 1 request in"))
            #expect(
                check.output.text.contains("policy") && check.output.text.contains("not asked for")
            )
            #expect(!check.output.text.contains("not answered"))
        }
    }

    @Test("ends with 1 where the backend follows another policy")
    func expectationFails() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m", "--reuse", "strict")
            let guide = Guide.voltyks
            let check = try await bench.operation(
                "check",
                guide,
                at: sandbox.port,
                "--quick",
                "--junit",
                "--against",
                "rfc9700",
                credentials: guide.credentials
            )
            #expect(check.ending == .exit(1))
            #expect(check.errors.text.contains("rfc9700 reuse-ends-session does not hold"))
            let path = try bench.write(check.output.text, to: "check.xml")
            let parser = bench.keep(
                try Program(
                    Program.python,
                    ["-c", Self.counting, path],
                    environment: bench.environment
                )
            )
            #expect(try await parser.ended() == .exit(0), "\(parser.errors.text)")
            #expect(parser.output.lines == ["13 1 2"], "\(check.output.text)")
            let again = try await bench.operation(
                "check",
                guide,
                at: sandbox.port,
                "--quick",
                "--sarif",
                "--against",
                "rfc9700",
                credentials: guide.credentials
            )
            #expect(again.ending == .exit(1))
            let log = again.output.text
            #expect(log.contains("\"ruleId\":\"rfc9700 reuse-ends-session\""), "\(log)")
        }
    }

    /// Prints the numbers of test cases, failures and skipped cases of a JUnit file; fails if the root
    /// has an attribute that the schema of Jenkins does not know.
    private static let counting = """
        import sys, xml.etree.ElementTree as tree
        root = tree.parse(sys.argv[1]).getroot()
        assert not set(root.attrib) - {"name", "time", "tests", "failures", "errors", "disabled"}
        print(*(len(root.findall(".//" + name)) for name in ("testcase", "failure", "skipped")))
        """

    @Test("is shown while it runs, with the exchanges of a probe, and then printed")
    func screen() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m", "--reuse", "strict")
            let terminal = try await bench.terminal(with: Guide.voltyks.credentials)
            let base = "http://127.0.0.1:\(sandbox.port)/voltyks"
            try await terminal.enter("authtop check voltyks --quick --base-url \(base)")
            try await terminal.see("done in")
            try await terminal.see("policy: strict (sandbox --reuse strict)", "Cache-Control:")
            try await terminal.press("Down", "Enter")
            try await terminal.see("login: 200 A1, R1")
            try await terminal.press("Escape")
            try await terminal.see("print the report")
            try await terminal.press("q")
            try await terminal.seePrompt(after: 0)
        }
    }

    @Test("leaves a stored session alone, and prints no token")
    func storedSession() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox(
                "--access-ttl",
                "10m",
                "--reuse",
                "strict-revoke"
            )
            let guide = Guide.voltyks
            _ = try await bench.logIn(guide, at: sandbox.port)
            let before = try await bench.operation("token", guide, at: sandbox.port)
            let check = try await bench.operation(
                "check",
                guide,
                at: sandbox.port,
                "--quick",
                "--exchanges",
                credentials: guide.credentials
            )
            #expect(check.ending == .exit(0), "\(check.errors.text)")
            #expect(!check.output.text.contains("eyJ"))
            let after = try await bench.operation("token", guide, at: sandbox.port)
            #expect(after.output.text == before.output.text)
            let status = try await guide.ask(with: after.output.text, at: sandbox).status
            #expect(status == 200)
        }
    }

    @Test(
        "leaves a stored session alone unless logout-all is named, and then says so first",
        arguments: [
            (["--max-wait", "1s"], true), (["--only", "login,logout-all"], false),
        ]
    )
    func logoutAll(options: [String], isLeftAlone: Bool) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m", "--reuse", "strict")
            let guide = Guide.melchat
            _ = try await bench.logIn(guide, at: sandbox.port)
            let token = try await bench.operation("token", guide, at: sandbox.port)
            let base = "http://127.0.0.1:\(sandbox.port)/melchat"
            let check = try bench.authtop(
                ["check", "melchat", "--base-url", base] + options,
                with: guide.credentials
            )
            #expect(try await check.ended() == .exit(0), "\(check.errors.text)")
            let isAnnounced = check.output.text.contains("ends every session of the user")
            #expect(isAnnounced == !isLeftAlone, "\(check.output.text)")
            let status = try await guide.ask(with: token.output.text, at: sandbox).status
            #expect(status == (isLeftAlone ? 200 : 401))
        }
    }

    @Test("writes a profile like which the sandbox behaves: a second check finds the same")
    func writesProfile() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox(
                "--access-ttl",
                "10m",
                "--reuse",
                "grace-forks:seconds=3"
            )
            let probes = ["--only", "login,refresh,reuse,until-used,window", "--max-wait", "5s"]
            func check(_ arguments: [String], _ variables: [String: String]) async throws -> String
            {
                let program = try bench.authtop(["check"] + arguments + probes, with: variables)
                #expect(try await program.ended() == .exit(0), "\(program.errors.text)")
                return program.output.text
            }
            let first = try await check(
                [
                    "voltyks", "--base-url", "http://127.0.0.1:\(sandbox.port)/voltyks",
                    "--write-profile", "found",
                ],
                Guide.voltyks.credentials
            )
            #expect(first.contains("grace-forks:seconds=3)"), "\(first)")
            let copy = try await bench.sandbox("--access-ttl", "10m", "--like", "found")
            let second = try await check(
                ["found", "--base-url", "http://127.0.0.1:\(copy.port)/found"],
                [
                    "AUTHTOP_FOUND_EMAIL": "user@example.com",
                    "AUTHTOP_FOUND_PASSWORD": "password",
                ]
            )
            #expect(second.contains("grace-forks:seconds=3)"), "\(second)")
        }
    }

    @Test(
        "rejects what it does not understand before it sends anything",
        arguments: [
            (["--expect", "policy=lenient"], "policy=lenient: expected static, reusable"),
            (["--expect", "window=60..30"], "window=60..30: expected 30..60"),
            (["--against", "rfc1"], "there is no set \"rfc1\""),
            (["--only", "raze"], "did you mean race?"), (["--only", "x"], "expected some of "),
            (
                ["--json", "--junit"],
                "expected one of --json, --junit, --sarif, --markdown and --badge"
            ),
            (["--vault", "file"], "check keeps no session"),
        ]
    )
    func badInput(arguments: [String], message: String) async throws {
        try await withBench { bench in
            let program = try bench.authtop(
                ["check", "voltyks", "--base-url", "http://127.0.0.1:1"] + arguments
            )
            #expect(try await program.ended() == .exit(2))
            #expect(program.errors.text.contains(message), "\(program.errors.text)")
        }
    }

    @Test("asks before a backend on another machine, and reaches none without an answer")
    func confirmation() async throws {
        try await withBench { bench in
            let program = try bench.authtop(
                ["check", "voltyks", "--base-url", "https://backend.invalid"],
                with: Guide.voltyks.credentials
            )
            #expect(try await program.ended() == .exit(2))
            #expect(program.errors.text.contains("add --yes"), "\(program.errors.text)")
        }
    }

    @Test("says what is wrong if nothing can be found out")
    func failures() async throws {
        try await withBench { bench in
            let closed = try await bench.operation(
                "check",
                .voltyks,
                at: 1,
                credentials: Guide.voltyks.credentials
            )
            #expect(closed.ending == .exit(3))
            #expect(closed.errors.text.contains("not reachable"), "\(closed.errors.text)")
            let sandbox = try await bench.sandbox()
            var credentials = Guide.voltyks.credentials
            credentials["AUTHTOP_VOLTYKS_PASSWORD"] = "wrong-one"
            let rejected = try await bench.operation(
                "check",
                .voltyks,
                at: sandbox.port,
                credentials: credentials
            )
            #expect(rejected.ending == .exit(2))
            #expect(rejected.errors.text.contains("the login was rejected"))
            #expect(!(rejected.errors.text + rejected.output.text).contains("wrong-one"))
            // A wrong password is sent once.
            let counters = try await sandbox.report().counters(of: .voltyks)
            #expect(counters?.loginsRejected == 1)
        }
    }
}
