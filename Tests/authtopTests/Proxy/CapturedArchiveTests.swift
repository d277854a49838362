import Foundation
import TestSupport
import Testing

/// Two refreshes that overlap, in `race.har`, in the forms in which tools hand archives over.
@Suite("authtop replay of an archive", .programs)
struct CapturedArchiveTests {
    private static let folder =
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().path

    /// Writes `capture.har`, and beside it what a command makes of it.
    private static func replay(
        _ name: String,
        made command: String,
        on bench: Bench,
        _ options: [String] = []
    ) async throws -> Program {
        let script = "cd '\(bench.home)' && cp '\(folder)/race.har' capture.har && \(command)"
        try await Program.shell(script)
        let program = try bench.authtop(
            ["replay", "\(bench.home)/\(name)", "--findings"] + options
        )
        _ = try await program.ended()
        return program
    }

    /// Moves each body of `capture.har` to a file beside it, as Playwright does.
    private static let attach = """
        python3 -B - <<'END'
        import json
        archive = json.load(open("capture.har"))
        for number, entry in enumerate(archive["log"]["entries"]):
            parts = [entry["request"].get("postData"), entry["response"].get("content")]
            for kind, part in zip("qa", parts):
                if part and part.get("text"):
                    name = f"{kind}{number}.json"
                    open(name, "w").write(part.pop("text"))
                    part.update({"_file": name, "size": 1})
        json.dump(archive, open("attached.har", "w"))
        END
        """

    @Test(
        "in a wrapping that tools use finds what is in it",
        arguments: [
            ("capture.har.gz", "gzip capture.har"),
            ("capture.zip", "python3 -m zipfile -c capture.zip capture.har"),
            (
                "capture.harp",
                "(printf 'onInputData('; cat capture.har; printf ');') > capture.harp"
            ),
            ("attached.har", attach),
            (
                "attached.zip",
                attach + "\npython3 -m zipfile -c attached.zip attached.har *.json"
            ),
        ]
    )
    func wrapped(name: String, command: String) async throws {
        try await withBench { bench in
            let program = try await Self.replay(name, made: command, on: bench)
            #expect(try await program.ended() == .exit(1), "\(program.errors.text)")
            #expect(program.output.text.contains("bug   race"), "\(program.output.text)")
            #expect(program.output.lines.last?.contains("authtop: saw ") == true)
        }
    }

    @Test("writes reports of its findings, and of nothing else")
    func reports() async throws {
        try await withBench { bench in
            let (junit, log) = ("\(bench.home)/auth.xml", "\(bench.home)/auth.sarif")
            let program = try await Self.replay(
                "capture.har",
                made: "true",
                on: bench,
                ["--junit", junit, "--sarif", log]
            )
            #expect(try await program.ended() == .exit(1), "\(program.errors.text)")
            let cases = try String(contentsOfFile: junit, encoding: .utf8)
            #expect(
                cases.contains("<testsuite name=\"race\" tests=\"1\" failures=\"1\""),
                "\(cases)"
            )
            let results = try String(contentsOfFile: log, encoding: .utf8)
            #expect(results.contains("\"fullyQualifiedName\":\"session 1/request #"), "\(results)")
            let other = try bench.authtop([
                "replay", "\(bench.home)/capture.har", "--json", "--sarif", log,
            ])
            #expect(try await other.ended() == .exit(2))
            #expect(other.errors.text.contains("--junit and --sarif are reports of --findings"))
        }
    }

    @Test(
        "in which nothing can be judged says why, and ends with a code of its own",
        arguments: [
            ("{\"log\":{\"entries\":[]}}", "no request was seen"),
            (request("Bearer [redacted]"), "[redacted] in the place of tokens in 1 request"),
            (request("Basic YTpi"), "no token was recognized in 1 request"),
        ]
    )
    func nothing(archive: String, reason: String) async throws {
        try await withBench { bench in
            let path = try bench.write(archive, to: "some.har")
            for options in [[], ["--json"]] {
                let program = try bench.authtop(["replay", path, "--findings"] + options)
                #expect(try await program.ended() == .exit(4), "\(program.errors.text)")
                let isJSON = program.output.text.contains("\"kind\":\"coverage\"")
                #expect(isJSON == !options.isEmpty)
                #expect(program.errors.text.contains("nothing could be judged: "))
                #expect(program.errors.text.contains(reason), "\(program.errors.text)")
            }
        }
    }

    private static func request(_ authorization: String) -> String {
        """
        {"log":{"entries":[{"startedDateTime":"2026-11-23T12:00:00Z","time":1,"request":{
        "method":"GET","url":"https://api.example.com/me",
        "headers":[{"name":"Authorization","value":"\(authorization)"}]},
        "response":{"status":200,"headers":[],"content":{}}}]}}
        """
    }

    @Test("whose ZIP file has no archive, or is cut off, is refused with what was found")
    func foreign() async throws {
        try await withBench { bench in
            let whole = "python3 -m zipfile -c whole.zip capture.har"
            for command in [
                "python3 -m zipfile -c capture.zip /etc/hostname",
                "\(whole) && head -c 300 whole.zip > capture.zip",
            ] {
                let program = try await Self.replay("capture.zip", made: command, on: bench)
                #expect(try await program.ended() == .exit(2))
                let text = program.errors.text
                #expect(text.contains("capture.zip: expected a ZIP file with one .har"), "\(text)")
            }
        }
    }

    @Test("that lacks an entry and bodies names them, and goes on")
    func gaps() async throws {
        try await withBench { bench in
            let command = attachWithout
            let program = try await Self.replay("attached.har", made: command, on: bench)
            let errors = program.errors.text
            let place = "log.entries[0].startedDateTime"
            #expect(errors.contains("left out: \(place): expected"), "\(errors)")
            let last = try #require(program.output.lines.last)
            #expect(last.contains("bodies are missing in the archive"), "\(last)")
        }
    }

    private var attachWithout: String {
        Self.attach + """

            rm -f a*.json
            sed -i '0,/"startedDateTime": "[^"]*"/s//"startedDateTime": 7/' attached.har
            """
    }
}
