import Foundation
import TestSupport
import Testing

@Suite("authtop proxy", .programs)
struct ProxyCommandTests {
    /// The rules of the findings in lines of JSON.
    private static func rules(_ output: String) -> Set<String> {
        Set(
            output.split(separator: "\n").compactMap { line -> String? in
                guard line.contains("\"kind\":\"finding\"") else { return nil }
                return line.firstMatch(of: /"rule":"([a-z0-9-]+)"/).map { String($0.1) }
            }
        )
    }

    private static func path(of script: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(script)
            .path
    }

    private static let script = path(of: "app.py")

    /// Runs an app of the tests through the proxy, and returns how that ended.
    private static func run(
        _ app: String,
        on bench: Bench,
        _ more: [String] = []
    ) async throws -> Program {
        // A refresh takes so long that two of them overlap.
        let sandbox = try await bench.sandbox(
            "--reuse",
            "strict-revoke",
            "--access-ttl",
            "3s",
            "--faults",
            "delay:refresh:seconds=0.3"
        )
        let program = try bench.authtop(
            [
                "proxy", "--to", "http://127.0.0.1:\(sandbox.port)/voltyks", "--port", "0",
                "--env", "API_URL", "--exec", "python3 '\(script)' \(app)",
            ] + more
        )
        _ = try await program.ended()
        return program
    }

    @Test("two processes of one program are two clients, with their names in the events")
    func processes() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--reuse", "strict-revoke")
            let recording = bench.home + "/run"
            let app = "\(Program.python) '\(Self.script)'"
            let program = try bench.authtop([
                "proxy", "--to", "http://127.0.0.1:\(sandbox.port)/voltyks", "--port", "0", "--env",
                "API_URL", "--record", recording, "--exec",
                "\(app) lender '\(bench.home)' & \(app) borrower '\(bench.home)'; wait",
            ])
            #expect(try await program.ended() == .exit(1))
            #expect(
                program.errors.text.contains("with one that was delivered to another client"),
                "\(program.errors.text)"
            )
            let replay = try bench.authtop(["replay", recording, "--json"])
            #expect(try await replay.ended() == .exit(0), "\(replay.errors.text)")
            let names = replay.output.lines.compactMap { line in
                line.firstMatch(of: /"kind":"client".*"process":"(app\.py)","pid":(\d+)/)?.2
            }
            #expect(Set(names).count == 2, "\(replay.output.text)")
        }
    }

    @Test(
        "names the mistake of an app, and fails",
        arguments: [("race", "race"), ("loop", "loop-401"), ("spent", "spent-refresh")]
    )
    func mistakes(app: String, rule: String) async throws {
        try await withBench { bench in
            let program = try await Self.run(app, on: bench)
            #expect(try await program.ended() == .exit(1))
            let lines = program.errors.lines
            #expect(lines.contains { $0.hasPrefix("bug   \(rule)") }, "\(program.errors.text)")
            #expect(lines.last?.contains("found what --fail-on names") ?? false)
        }
    }

    @Test("ends at a signal with the code that a shell expects, and writes its files before")
    func signal() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let archive = bench.home + "/run.har"
            let proxy = try bench.authtop([
                "proxy", "--to", "http://127.0.0.1:\(sandbox.port)", "--port", "0", "--json",
                "--har", archive,
            ])
            _ = try await eventually("the proxy's address") { proxy.errors.lines.first }
            proxy.send(SIGINT)
            #expect(try await proxy.ended() == .exit(130))
            #expect(FileManager.default.fileExists(atPath: archive))
        }
    }

    @Test(
        "finds no bug in an app that does as it should, with or without a profile",
        arguments: [[], ["voltyks"]]
    )
    func good(profile: [String]) async throws {
        try await withBench { bench in
            let program = try await Self.run("good", on: bench, profile)
            #expect(try await program.ended() == .exit(0), "\(program.errors.text)")
            #expect(!program.errors.text.contains("bug "), "\(program.errors.text)")
        }
    }

    @Test(
        "reads by a profile, whatever part of the path --to has, and whether it has a base URL",
        arguments: ["", "/voltyks", "/voltyks/api"],
        [true, false]
    )
    func basePath(prefix: String, isKnown: Bool) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let backend = "http://127.0.0.1:\(sandbox.port)"
            let own = try bench.write(
                "extends = \"voltyks\"\nbase_url = \"\(backend)/voltyks\"\n",
                to: "mine.toml"
            )
            let path = isKnown ? own : "voltyks"
            let guide = Guide.voltyks
            let target = String(("/voltyks" + guide.loginPath).dropFirst(prefix.count))
            let proxy = try bench.authtop([
                "proxy", path, "--to", backend + prefix, "--port", "0", "--json",
            ])
            let line = try await eventually("the proxy's address") { proxy.errors.lines.first }
            let address = try #require(line.firstMatch(of: /http:\/\/127\.0\.0\.1:\d+/)?.output)
            let app = try Program(
                "/usr/bin/env",
                [
                    "curl", "-s", "-f", "-o", "/dev/null", "-H", "Content-Type: application/json",
                    "-d", "{\"email\":\"user@example.com\",\"password\":\"password\"}",
                    address + target,
                ],
                environment: ["PATH": "/usr/bin:/bin"]
            )
            #expect(try await app.ended() == .exit(0), "\(app.errors.text)")
            // Without the profile, the login is only likely to be one.
            let login = try await eventually("a login", evidence: { proxy.output.text }) {
                proxy.output.lines.first { $0.contains("\"link\":\"login\"") }
            }
            #expect(login.contains("\"confidence\":\"exact\""), "\(login)")
        }
    }

    @Test("a limit of other rules does not fail, and its reports have what was found")
    func limit() async throws {
        try await withBench { bench in
            let file = bench.home + "/auth.xml"
            // One that others can read, from an earlier run.
            try Data("<old/>".utf8).write(to: URL(fileURLWithPath: file))
            let log = bench.home + "/auth.sarif"
            let options = ["--fail-on", "loop-401", "--junit", file, "--sarif", log]
            let program = try await Self.run("race", on: bench, options)
            #expect(try await program.ended() == .exit(0), "\(program.errors.text)")
            let data = try Data(contentsOf: URL(fileURLWithPath: file))
            let text = String(decoding: data, as: UTF8.self)
            #expect(text.contains("<testsuite name=\"race\" tests=\"1\" failures=\"0\" "))
            #expect(text.contains("<testcase classname=\"race\" name=\""))
            let results = try String(contentsOfFile: log, encoding: .utf8)
            #expect(results.contains("\"ruleId\":\"race\""), "\(results)")
            #expect(!results.contains("eyJ"))
            for path in [file, log] {
                let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
                #expect(mode as? Int == 0o600)
            }
        }
    }

    @Test(
        "ends with a code of its own where nothing could be judged, unless nothing shall fail",
        arguments: [("bugs", Int32(4)), ("none", 0)]
    )
    func nothing(limit: String, code: Int32) async throws {
        try await withBench { bench in
            let program = try bench.authtop(
                [
                    "proxy", "--to", "http://127.0.0.1:9", "--port", "0", "--exec", "true",
                    "--fail-on", limit,
                ]
            )
            #expect(try await program.ended() == .exit(code), "\(program.errors.text)")
            let text = program.errors.text
            #expect(text.contains("authtop: saw no request, no session"))
            #expect(text.contains("no request came: does the program use AUTHTOP_PROXY_URL"))
            #expect(text.contains("nothing could be judged: no request was seen") == (code == 4))
        }
    }

    @Test("ends with the code of its program")
    func code() async throws {
        try await withBench { bench in
            let program = try bench.authtop([
                "proxy", "--to", "http://127.0.0.1:9", "--port", "0", "--exec",
                "test -n \"$AUTHTOP_PROXY_URL\" && exit 7",
            ])
            #expect(try await program.ended() == .exit(7))
        }
    }

    @Test(
        "says what is wrong with its options",
        arguments: [
            (["--to", "nonsense"], "--to: "),
            (["--to", "http://api.example.com"], "--to: "),
            (["--to", "https://api.example.com=99999"], "99999 is no port"),
            (["--to", "http://127.0.0.1:9", "--fail-on", "rase"], "there is no rule \"rase\""),
            (["--to", "http://127.0.0.1:9", "--exec", "true", "--env", "1A"], "--env: "),
            (["--to", "http://127.0.0.1:9", "--exec", "true", "--json"], "--record FILE"),
            (["--to", "http://127.0.0.1:9", "--exec", "true", "--print-frame", "80x24"], "stdout"),
            ([], "--to"),
            (
                ["--to", "http://127.0.0.1:9", "--fail-on", "expire"],
                "\"expire\" is a fault (authtop proxy explain unauthorized), and no rule"
            ),
            (["explain", "rase"], "did you mean race?"),
        ]
    )
    func mistake(arguments: [String], message: String) async throws {
        try await withBench { bench in
            let program = try bench.authtop(["proxy"] + arguments)
            #expect(try await program.ended() == .exit(2))
            #expect(program.errors.text.contains(message), "\(program.errors.text)")
        }
    }

    @Test("explains a rule with its remedy, and lists all of them")
    func explain() async throws {
        try await withBench { bench in
            let one = try bench.authtop(["proxy", "explain", "race"])
            #expect(try await one.ended() == .exit(0))
            #expect(one.output.lines.first == "race (bug)")
            #expect(one.output.text.contains("One refresh at a time"))
            let all = try bench.authtop(["proxy", "explain"])
            #expect(try await all.ended() == .exit(0))
            #expect(all.output.lines.count >= 27)
            // The texts stand below each other.
            let columns = all.output.lines.compactMap { line in
                line.firstMatch(of: /^[a-z0-9-]+ +(bug|risk|note|fault) +/).map {
                    $0.output.0.count
                }
            }
            #expect(columns.count == all.output.lines.count)
            #expect(Set(columns).count == 1)
        }
    }

    @Test("the demo names a race, a loop of 401s and a spent refresh token within seconds")
    func demo() async throws {
        try await withBench { bench in
            let program = try bench.authtop(["proxy", "--demo", "--json", "--for", "120s"])
            let wanted: Set = ["race", "loop-401", "spent-refresh"]
            try await eventually("the three findings", evidence: { program.errors.text }) {
                wanted.isSubset(of: Self.rules(program.output.text))
            }
        }
    }

    @Test("a newcomer's first minute: what to type, then the session of what was typed")
    func firstMinute() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let terminal = try await bench.terminal(columns: 120, rows: 40)
            try await terminal.enter(
                "authtop proxy --to http://127.0.0.1:\(sandbox.port)/voltyks --port 0"
            )
            try await terminal.see("Waiting for your app", "▸browser app")
            try await terminal.press("Left")
            try await terminal.see("▸command line", "curl -i http://127.0.0.1:")
            let line = try #require(
                try await terminal.lines.first { $0.contains("curl -i http://127.0.0.1:") }
            )
            let port = try #require(line.firstMatch(of: /127\.0\.0\.1:(\d+)/).map { String($0.1) })
            let app = try Program(
                "/usr/bin/env",
                ["python3", Self.script, "login"],
                environment: ["PATH": "/usr/bin:/bin", "API_URL": "http://127.0.0.1:\(port)"]
            )
            #expect(try await app.ended() == .exit(0), "\(app.errors.text)")
            try await terminal.see("● live", "POST /api/Auth/Login", "generation 1")
            try await terminal.press("r")
            try await terminal.see("this session is the app's")
        }
    }

    @Test(
        "two tabs in Chromium that renew at once are named with both exchanges; with a lock, nothing is",
        .enabled("chromium-driver is not installed") {
            FileManager.default.isExecutableFile(atPath: "/usr/bin/chromedriver")
        },
        arguments: [("race", 1), ("fixed", 0)]
    )
    func tabs(mode: String, code: Int32) async throws {
        try await withBench { bench in
            let script = Self.path(of: "tabs.py")
            let backend = bench.keep(
                try Program(
                    "/usr/bin/env",
                    ["python3", "-B", script, "serve"],
                    environment: ["PATH": "/usr/bin:/bin"]
                )
            )
            let port = try await eventually("the backend's port") { backend.output.lines.first }
            let program = try bench.authtop([
                "proxy", "--to", "http://127.0.0.1:\(port)", "--port", "0", "--env", "API_URL",
                "--exec", "python3 -B '\(script)' \(mode)",
            ])
            let ending = try await program.ended(within: .seconds(180))
            #expect(ending == .exit(code), "\(program.errors.text)")
            let race = program.errors.lines.first { $0.hasPrefix("bug   race #") }
            #expect((race != nil) == (mode == "race"), "\(program.errors.text)")
            if let race { #expect(race.matches(of: /#\d+/).count >= 2) }
        }
    }
}
