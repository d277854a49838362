import Foundation
import TestSupport
import Testing

/// The result of a run whose evidence cannot be written.
@Suite("Evidence that cannot be written", .programs)
struct UnwrittenEvidenceTests {
    @Test(
        "is named, each file, and swallows neither report nor code",
        arguments: [("true", [], 2), ("exit 7", [], 7), ("true", ["--fail-on", "no-store"], 1)]
    )
    func named(command: String, more: [String], code: Int32) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let folder = "\(bench.home)/gone"
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: false
            )
            let (junit, summary) = ("\(bench.home)/junit.xml", "\(bench.home)/summary.md")
            let request =
                "curl -s -o /dev/null -H 'Content-Type: application/json' "
                + "-d '{\"email\":\"user@example.com\",\"password\":\"password\"}' "
                + "$AUTHTOP_PROXY_URL/api/Auth/Login"
            let program = try bench.authtop(
                [
                    "proxy", "--to", "http://127.0.0.1:\(sandbox.port)/voltyks", "--port", "0",
                    "--exec", "\(request); rmdir \(folder); \(command)", "--har",
                    "\(folder)/archive.har", "--write-profile", "\(folder)/mine.toml", "--junit",
                    junit,
                ] + more,
                with: ["GITHUB_STEP_SUMMARY": summary]
            )
            let ending = try await program.ended()
            #expect(program.errors.text.contains("authtop: --har \(folder)/archive.har: "))
            #expect(program.errors.text.contains("authtop: --write-profile \(folder)/mine.toml: "))
            #expect(try String(contentsOfFile: junit, encoding: .utf8).contains("<testsuites"))
            #expect(try String(contentsOfFile: summary, encoding: .utf8).contains("### authtop"))
            // Findings count for more than unwritten files.
            #expect(ending == .exit(code), "\(program.errors.text)")
        }
    }

    @Test(
        "is named before the run starts, if its folder is not there",
        arguments: ["--har", "--write-profile", "--junit", "--sarif", "--record"]
    )
    func missing(option: String) async throws {
        try await withBench { bench in
            let path = "\(bench.home)/none/file"
            let program = try bench.authtop([
                "proxy", "--to", "http://127.0.0.1:9", "--port", "0", "--exec",
                "touch \(bench.home)/ran", option, path,
            ])
            #expect(try await program.ended() == .exit(2))
            #expect(program.errors.text.contains("authtop: \(option) \(path): "))
            #expect(program.errors.text.contains("No such file or directory"))
            #expect(!FileManager.default.fileExists(atPath: "\(bench.home)/none"))
            #expect(!FileManager.default.fileExists(atPath: "\(bench.home)/ran"))
        }
    }

    @Test("a recording of a run that did not start is not left behind")
    func unstarted() async throws {
        try await withBench { bench in
            let path = "\(bench.home)/run.jsonl"
            let sandbox = try await bench.sandbox()
            let program = try bench.authtop([
                "proxy", "--to", "http://127.0.0.1:9", "--port", "0", "--control",
                "\(sandbox.port)", "--record", path,
            ])
            #expect(try await program.ended() == .exit(2), "\(program.errors.text)")
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test("is named if it is the report itself, and the others are written")
    func report() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let archive = "\(bench.home)/archive.har"
            let program = try bench.authtop(
                [
                    "proxy", "--to", "http://127.0.0.1:\(sandbox.port)/voltyks", "--port", "0",
                    "--exec", "curl -s -o /dev/null $AUTHTOP_PROXY_URL/me", "--har", archive,
                    "--junit", "/dev/full",
                ],
                with: ["GITHUB_STEP_SUMMARY": "/dev/full"]
            )
            #expect(try await program.ended() == .exit(2), "\(program.errors.text)")
            let message = "/dev/full: No space left on device"
            #expect(program.errors.text.contains("authtop: --junit \(message)"))
            #expect(program.errors.text.contains("authtop: GITHUB_STEP_SUMMARY \(message)"))
            #expect(FileManager.default.fileExists(atPath: archive))
        }
    }

    @Test("an archive that lacks earlier requests says from which one on it has them")
    func gap() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let script = """
                import http.client, os
                host = os.environ["AUTHTOP_PROXY_URL"][len("http://"):]
                connection = http.client.HTTPConnection(host)
                for number in range(4200):
                    connection.request("GET", "/voltyks/api/me")
                    connection.getresponse().read()
                """
            let path = try bench.write(script, to: "many.py")
            let archive = "\(bench.home)/archive.har"
            let program = try bench.authtop([
                "proxy", "--to", "http://127.0.0.1:\(sandbox.port)", "--port", "0", "--exec",
                "\(Program.python) \(path)", "--har", archive, "--fail-on", "none",
            ])
            _ = try await program.ended(within: .seconds(600))
            let text = program.errors.text
            #expect(text.contains("\(archive): without what came before request #105:"), "\(text)")
            #expect(FileManager.default.fileExists(atPath: archive))
        }
    }
}
