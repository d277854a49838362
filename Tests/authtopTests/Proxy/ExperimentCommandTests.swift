import Foundation
import TestSupport
import Testing

@Suite("authtop proxy, its experiments and its control port", .programs)
struct ExperimentCommandTests {
    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("app.py").path

    /// Runs a command beside a proxy before a sandbox, and returns how that ended.
    private static func run(
        _ command: String,
        on bench: Bench,
        _ more: [String],
        dialect: String = "voltyks",
        sandbox options: [String] = [],
        with variables: [String: String] = [:]
    ) async throws -> Program {
        let sandbox = try await bench.sandbox(options)
        let program = try bench.authtop(
            [
                "proxy", "--to", "http://127.0.0.1:\(sandbox.port)/\(dialect)", "--port", "0",
                "--env", "API_URL", "--exec", command,
            ] + more,
            with: variables
        )
        _ = try await program.ended(within: .seconds(180))
        return program
    }

    @Test("an app that renews once and repeats the request passes")
    func sound() async throws {
        try await withBench { bench in
            let summary = bench.home + "/summary.md"
            let program = try await Self.run(
                "python3 '\(Self.script)' patient",
                on: bench,
                ["--fault", "expire@1s"],
                with: ["GITHUB_STEP_SUMMARY": summary]
            )
            #expect(try await program.ended() == .exit(0), "\(program.errors.text)")
            #expect(program.errors.lines.contains("passed: experiment expire"))
            let text = try String(contentsOfFile: summary, encoding: .utf8)
            #expect(text.contains("| expire | passed | one refresh, within 5 s | #"))
        }
    }

    @Test("one that renews twice at once fails, and JUnit's XML says by which requests")
    func hasty() async throws {
        try await withBench { bench in
            let file = bench.home + "/auth.xml"
            let program = try await Self.run(
                "python3 '\(Self.script)' hasty",
                on: bench,
                ["--fault", "expire-burst@1s", "--junit", file],
                sandbox: ["--reuse", "strict", "--faults", "delay:refresh:seconds=0.3"]
            )
            #expect(try await program.ended() == .exit(1), "\(program.errors.text)")
            #expect(
                program.errors.lines.last?.contains("experiment expire-burst") ?? false,
                "\(program.errors.text)"
            )
            let text = try String(contentsOfFile: file, encoding: .utf8)
            #expect(text.contains("<testsuite name=\"experiments\" tests=\"1\" failures=\"1\""))
            #expect(text.contains("failed: one refresh, within 5 s: #"))
            // The effect of an experiment fails its scorecard, and nothing else.
            #expect(!program.errors.text.contains("--fail-on names: race"))
        }
    }

    @Test("tests that name themselves at the control port name the cases of JUnit's XML")
    func marks() async throws {
        try await withBench { bench in
            let file = bench.home + "/auth.xml"
            let program = try await Self.run(
                "python3 '\(Self.script)' marked",
                on: bench,
                ["--control", "0", "--junit", file],
                sandbox: ["--reuse", "strict"]
            )
            #expect(try await program.ended() == .exit(1), "\(program.errors.text)")
            let text = try String(contentsOfFile: file, encoding: .utf8)
            let spent = text.components(separatedBy: "<testsuite name=\"spent-refresh\"").last ?? ""
            let suite = spent.components(separatedBy: "</testsuite>")[0]
            #expect(suite.contains("name=\"renews twice: /api/Auth/RefreshToken #"), "\(suite)")
            #expect(suite.contains("name=\"keeps me logged in\""), "\(suite)")
            #expect(text.contains("name=\"keeps me logged in: expire 1\""))
        }
    }

    @Test("an accepted finding does not make the run fail")
    func accepted() async throws {
        try await withBench { bench in
            let file = bench.home + "/accept"
            let known = "# known\nspent-refresh /api/Auth/RefreshToken  # soon\n"
            try Data(known.utf8).write(to: URL(fileURLWithPath: file))
            let program = try await Self.run(
                "python3 '\(Self.script)' spent",
                on: bench,
                ["--accept", file],
                sandbox: ["--reuse", "strict"]
            )
            #expect(try await program.ended() == .exit(0), "\(program.errors.text)")
            #expect(program.errors.text.contains(", accepted"), "\(program.errors.text)")
        }
    }

    @Test(
        "says what is wrong with its options",
        arguments: [
            (["--fault", "expires"], "--fault expires: there is no experiment \"expires\""),
            (
                ["--fault", "blip:200"],
                "--fault blip:200: blip: \"200\": expected status=500 to 599"
            ),
            (["--fault", "expire:3"], "expire: \"3\" is not understood, expected nothing"),
            (["--fault", "expire:off"], "--fault expire:off: expected an experiment to begin"),
            (["--fault", "expire@soon"], "expected seconds after @"),
            (["--fault", "expire", "--readonly"], "--readonly forbids experiments"),
            (["--control", "70000"], "--control 70000: expected 0 to 65535"),
            (["--accept", "/none"], "--accept /none: cannot be read"),
        ]
    )
    func mistake(arguments: [String], message: String) async throws {
        try await withBench { bench in
            let program = try bench.authtop(["proxy", "--to", "http://127.0.0.1:9"] + arguments)
            #expect(try await program.ended() == .exit(2))
            #expect(program.errors.text.contains(message), "\(program.errors.text)")
        }
    }

    @Test(
        "says which line of the accepted findings is wrong",
        arguments: [
            ("race\n", ":1: expected a rule and a path"),
            ("\nrase /a\n", ":2: there is no rule \"rase\""),
        ]
    )
    func wrongLine(content: String, message: String) async throws {
        try await withBench { bench in
            let file = bench.home + "/accept"
            try Data(content.utf8).write(to: URL(fileURLWithPath: file))
            let program = try bench.authtop([
                "proxy", "--to", "http://127.0.0.1:9", "--accept", file,
            ])
            #expect(try await program.ended() == .exit(2))
            #expect(program.errors.text.contains(file + message), "\(program.errors.text)")
        }
    }

    /// All of them take minutes, so that they are run by hand.
    private static let ownFaults =
        ProcessInfo.processInfo.environment["AUTHTOP_EXPERIMENTS"] == nil
        ? ["expire", "lose-answer"]
        : [
            "expire", "expire-burst", "lose-answer", "lose-answer:hang", "slow-refresh:2",
            "refuse-refresh", "blip:503x2", "limit:2", "portal", "cut:1006", "cut:1008",
            "no-refresh-token", "short-life:6", "skew:+300",
        ]

    @Test("authtop's own client passes every scorecard", arguments: ownFaults)
    func ownClient(fault: String) async throws {
        try await withBench { bench in
            // Only a life that an answer states can be shortened.
            let guide = fault.hasPrefix("short-life") ? Guide.creatist : .bitbasel
            let long = ["lose-answer:hang", "short-life:6", "limit:2"].contains(fault)
            let options = "--vault memory --json --every 500ms --for \(long ? "40s" : "14s")"
            let program = try await Self.run(
                guide.assignments
                    + "'\(Authtop.path)' watch \(guide) --base-url \"$API_URL\" \(options) "
                    + ">/dev/null",
                on: bench,
                [guide.rawValue, "--fault", "\(fault)@2s"],
                dialect: guide.rawValue,
                sandbox: ["--access-ttl", "8s"]
            )
            let text = program.errors.text
            #expect(text.contains("passed: experiment "), "\(text)")
            #expect(!text.contains("      failed: "), "\(text)")
            #expect(!text.contains("bug  "), "\(text)")
        }
    }
}
