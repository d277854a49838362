import Foundation
import Glibc
import TestSupport
import Testing

/// The files that `authtop proxy` leaves behind, and archives of other tools.
@Suite("Evidence of an app's traffic", .programs)
struct ProxyEvidenceTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path

    /// Runs an app that races two refreshes through the proxy.
    private static func race(on bench: Bench, _ more: String...) async throws -> Program {
        let sandbox = try await bench.sandbox(
            "--reuse",
            "strict-revoke",
            "--access-ttl",
            "60s",
            "--faults",
            "delay:refresh:seconds=0.3"
        )
        let program = try bench.authtop(
            [
                "proxy", "--to", "http://127.0.0.1:\(sandbox.port)/voltyks", "--port", "0",
                "--env", "API_URL", "--exec", "python3 '\(folder)/app.py' race",
            ] + more
        )
        #expect(try await program.ended() == .exit(1), "\(program.errors.text)")
        return program
    }

    private static func mode(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    /// Sends requests over one connection, and ends the proxy as soon as the last answer has come.
    private static let endingAtOnce = """
        import http.client, os, sys
        port, pid, count = map(int, sys.argv[1:])
        app = http.client.HTTPConnection("127.0.0.1", port)
        for number in range(count):
            app.request("GET", f"/api/item?n={number}", headers={"Authorization": "Bearer made-up"})
            app.getresponse().read()
        os.kill(pid, 2)
        """

    @Test("has all that was relayed before a signal, in the lines, the recording and the archive")
    func relayedBeforeSignal() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let (recording, archive) = ("\(bench.home)/traffic", "\(bench.home)/archive.har")
            let proxy = try bench.authtop([
                "proxy", "--to", "http://127.0.0.1:\(sandbox.port)/voltyks", "--port", "0",
                "--json", "--record", recording, "--har", archive,
            ])
            let line = try await eventually("the proxy's address") { proxy.errors.lines.first }
            let port = try #require(line.firstMatch(of: /127\.0\.0\.1:(\d+)/)?.output.1)
            let count = 300
            let app = try Program(
                "/usr/bin/env",
                ["python3", "-c", Self.endingAtOnce, String(port), "\(proxy.pid)", "\(count)"],
                environment: ["PATH": "/usr/bin:/bin"]
            )
            #expect(try await app.ended() == .exit(0), "\(app.errors.text)")
            #expect(try await proxy.ended() == .exit(130), "\(proxy.errors.text)")
            let requests = proxy.output.lines.filter { $0.contains("\"kind\":\"request\"") }
            #expect(requests.count == count)
            let replay = try bench.authtop(["replay", recording, "--json"])
            #expect(try await replay.ended() == .exit(0), "\(replay.errors.text)")
            #expect(replay.output.lines == proxy.output.lines)
            // The app saw all of its answers: none is one that it has given up.
            let observed = try String(contentsOfFile: recording, encoding: .utf8)
            #expect(observed.split(separator: "\n").count { $0.contains("\"delivered\"") } == count)
            #expect(!observed.contains("abandoned"))
            let document = try String(contentsOfFile: archive, encoding: .utf8)
            #expect(document.matches(of: /"startedDateTime"/).count == count)
        }
    }

    @Test("a recording leads to the findings of the run, byte for byte; only its owner can read it")
    func recorded() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--reuse", "strict-revoke", "--access-ttl", "60s")
            let path = "\(bench.home)/traffic"
            let proxy = try bench.authtop([
                "proxy", "--to", "http://127.0.0.1:\(sandbox.port)/voltyks", "--port", "0",
                "--json", "--record", path,
            ])
            let line = try await eventually("the proxy's address") { proxy.errors.lines.first }
            let address = try #require(line.firstMatch(of: /http:\/\/127\.0\.0\.1:\d+/)?.output)
            for app in ["spent", "loop"] {
                let program = try Program(
                    "/usr/bin/env",
                    ["python3", "\(Self.folder)/app.py", app],
                    environment: ["PATH": "/usr/bin:/bin", "API_URL": String(address)]
                )
                #expect(try await program.ended() == .exit(0), "\(program.errors.text)")
            }
            try await eventually("both findings", evidence: { proxy.output.text }) {
                ["\"rule\":\"spent-refresh\"", "\"rule\":\"loop-401\""]
                    .allSatisfy(proxy.output.text.contains)
            }
            proxy.send(SIGINT)
            _ = try await proxy.ended()
            #expect(try Self.mode(of: path) == 0o600)
            let recording = try String(contentsOfFile: path, encoding: .utf8)
            #expect(recording.hasPrefix("{\"authtop\":\"observation\","))
            #expect(!recording.contains("user@example.com"))

            let replay = try bench.authtop(["replay", path, "--json"])
            #expect(try await replay.ended() == .exit(0), "\(replay.errors.text)")
            let live = proxy.output.lines
            // The reader of the events may be told of the end a little earlier.
            #expect(live.count > 30 && replay.output.lines.count - live.count < 10)
            #expect(Array(replay.output.lines.prefix(live.count)) == live)

            let findings = try bench.authtop(["replay", path, "--findings", "--json"])
            #expect(try await findings.ended() == .exit(1))
            #expect(findings.output.lines.count >= 2)
            // A line of the run has only the evidence that no line before it had.
            let withoutEvidence = { (line: String) in
                line.replacing(/"evidence":\[.*?\],"message"/, with: "\"message\"")
            }
            let told = live.map(withoutEvidence)
            #expect(findings.output.lines.allSatisfy { told.contains(withoutEvidence($0)) })
            let text = try bench.authtop(["replay", path, "--findings"])
            #expect(try await text.ended() == .exit(1))
            #expect(text.output.lines.contains { $0.hasPrefix("bug   spent-refresh #") })
            #expect(text.errors.text.contains("found loop-401, spent-refresh"))
        }
    }

    @Test("a recording is shown in the dashboard, with the findings when they were made")
    func screen() async throws {
        try await withBench { bench in
            let path = "\(bench.home)/traffic"
            let program = try await Self.race(on: bench, "--record", path)
            #expect(program.errors.lines.contains { $0.hasPrefix("bug   race #") })
            let terminal = try await bench.terminal(columns: 120, rows: 40)
            try await terminal.enter("authtop replay \(path)")
            // A recording of less than a second may be over before it is seen to run.
            try await terminal.see("replay ", "generation")
            try await terminal.press("$")
            try await terminal.see("replay over ", "race", "POST /api/Auth/Refres")
            try await terminal.press("W")
            try await terminal.see(".toml: no request with an access token was seen")
            try await terminal.press("0")
            try await terminal.see("replay held 0 s of")
            try await terminal.seeNo("POST /api/Auth/Refres")
        }
    }

    @Test("an archive has every exchange, what was found in it, and no token")
    func archive() async throws {
        try await withBench { bench in
            let (har, recording) = ("\(bench.home)/out.har", "\(bench.home)/traffic")
            _ = try await Self.race(on: bench, "--har", har, "--record", recording)
            #expect(try Self.mode(of: har) == 0o600)
            let text = try String(contentsOfFile: har, encoding: .utf8)
            let document = try JSONSerialization.jsonObject(with: Data(text.utf8))
            let log = try #require((document as? [String: Any])?["log"] as? [String: Any])
            let entries = try #require(log["entries"] as? [[String: Any]])
            #expect(entries.count == 3)
            let rules = entries.map { entry in
                (entry["_findings"] as? [[String: Any]] ?? []).compactMap { $0["rule"] as? String }
            }
            #expect(rules[1].contains("race") && rules[2].contains("race"))
            #expect(text.contains("Bearer authtop:"))
            #expect(text.contains("/voltyks/api/Auth/Login\""))
            #expect(text.firstMatch(of: /eyJ[A-Za-z0-9_-]{8}|[0-9a-f]{8}-[0-9a-f]{4}-/) == nil)
            #expect(!text.contains("user@example.com"))
            // The same from the recording.
            let export = try bench.authtop(["export", recording, "--format", "har"])
            #expect(try await export.ended() == .exit(0), "\(export.errors.text)")
            #expect(export.output.lines.map { $0 + "\n" } == [text])
        }
    }

    @Test("with --every-body, an archive has the bodies of the app's own requests, without secrets")
    func everyBody() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let har = "\(bench.home)/out.har"
            let body = "{\"note\":\"milk\",\"card_secret\":\"hunter2!\"}"
            let program = try bench.authtop([
                "proxy", "--to", "http://127.0.0.1:\(sandbox.port)/voltyks", "--port", "0",
                "--every-body", "--har", har, "--exec",
                "curl -s -d '\(body)' -H 'Content-Type: application/json' $AUTHTOP_PROXY_URL/notes",
            ])
            // No token is in it, so that nothing can be judged.
            #expect(try await program.ended() == .exit(4), "\(program.errors.text)")
            let text = try String(contentsOfFile: har, encoding: .utf8)
            #expect(text.contains("milk"))
            #expect(!text.contains("hunter2!"))
        }
    }

    @Test("an archive of mitmproxy has the race of its client, with and without a profile")
    func captured() async throws {
        try await withBench { bench in
            let har = "\(Self.folder)/race.har"
            for profile in [[], ["--profile", "voltyks", "--json"]] {
                let replay = try bench.authtop(["replay", har, "--findings"] + profile)
                #expect(try await replay.ended() == .exit(1), "\(replay.errors.text)")
                let race = try #require(
                    replay.output.lines.first { $0.contains("race") },
                    "\(replay.output.text)"
                )
                // The numbers are those of the starts, not of the answers.
                #expect(
                    race.hasPrefix("bug   race #3 #4") || race.contains("\"exchanges\":[3,4]"),
                    "\(race)"
                )
                #expect(replay.errors.text.contains("found race"))
            }
        }
    }

    @Test(
        "a mistake is 2 with what was expected, and where",
        arguments: [
            ("{\"log\": {\"entries\": [{}]}}", "log.entries[0].request: expected a value"),
            ("{\"log\": ", "the file: expected JSON"),
        ]
    )
    func malformed(text: String, message: String) async throws {
        try await withBench { bench in
            let path = try bench.write(text, to: "capture.har")
            let replay = try bench.authtop(["replay", path, "--findings"])
            #expect(try await replay.ended() == .exit(2))
            #expect(replay.errors.text.contains("\(path): \(message)"), "\(replay.errors.text)")
            #expect(replay.output.lines == [])
        }
    }

    @Test("no file is written over", arguments: ["--har", "--write-profile", "--record"])
    func existing(option: String) async throws {
        try await withBench { bench in
            let path = try bench.write("mine\n", to: "file")
            let program = try bench.authtop([
                "proxy", "--to", "http://127.0.0.1:9", "--port", "0", "--exec", "true", option,
                path,
            ])
            #expect(try await program.ended() == .exit(2))
            #expect(program.errors.text.contains("\(option) \(path): it exists"))
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine\n")
        }
    }
}
