import Foundation
import Glibc
import TestSupport
import Testing

/// The answers that pages of other origins can read through `authtop proxy`.
@Suite("authtop proxy --cors", .programs)
struct CrossOriginCommandTests {
    private static let warning = "authtop: --cors hides a bug that production will have"

    @Test(
        "a page on another port reads with cookie and token in Chromium, with --cors only",
        .enabled("chromium-driver is not installed") {
            FileManager.default.isExecutableFile(atPath: "/usr/bin/chromedriver")
        },
        arguments: [([], "TypeError"), (["--cors"], "200 9 ada")]
    )
    func page(options: [String], expected: String) async throws {
        try await withBench { bench in
            let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("cors.py").path
            let backend = bench.keep(
                try Program(
                    "/usr/bin/env",
                    ["python3", "-B", script, "serve"],
                    environment: ["PATH": "/usr/bin:/bin"]
                )
            )
            let port = try await eventually("the backend's port") { backend.output.lines.first }
            let program = try bench.authtop(
                [
                    "proxy", "--to", "http://127.0.0.1:\(port)", "--port", "0", "--env", "API_URL",
                    "--exec", "python3 -B '\(script)' read", "--fail-on", "none",
                ] + options
            )
            let ending = try await program.ended(within: .seconds(180))
            #expect(ending == .exit(0), "\(program.errors.text)")
            #expect(program.output.lines == [expected], "\(program.errors.text)")
            let isWarned = program.errors.lines.contains { $0.hasPrefix(Self.warning) }
            #expect(isWarned == !options.isEmpty, "\(program.errors.text)")
        }
    }

    @Test("lines of JSON name the page for which something was added; the start says what that is")
    func lines() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let proxy = try bench.authtop([
                "proxy", "--to", "http://127.0.0.1:\(sandbox.port)/voltyks", "--port", "0",
                "--cors",
                "--cors-origin", "https://dev.example.com", "--json",
            ])
            let line = try await eventually("the proxy's address") { proxy.errors.lines.first }
            let address = try #require(line.firstMatch(of: /http:\/\/[0-9.]+:[0-9]+/)?.output)
            _ = try await eventually("the warning") {
                proxy.errors.lines.first { $0.hasPrefix(Self.warning) }
            }
            let pages = [
                "http://localhost:5173", "https://dev.example.com", "https://evil.example",
            ]
            for page in pages {
                let curl = try Program(
                    "/usr/bin/curl",
                    ["-si", "-H", "Origin: \(page)", "\(address)/x"]
                )
                #expect(try await curl.ended() == .exit(0))
                let isAllowed = page != pages[2]
                let field = "Access-Control-Allow-Origin: \(page)"
                #expect(curl.output.text.contains(field) == isAllowed, "\(curl.output.text)")
            }
            let requests = try await eventually("three requests") {
                let lines = proxy.output.lines.filter { $0.contains("\"kind\":\"request\"") }
                return lines.count == 3 ? lines : nil
            }
            let named = requests.map { line in
                line.firstMatch(of: /"corsAddedFor":"([^"]+)"/).map { String($0.1) }
            }
            #expect(named == [pages[0], pages[1], nil])
            proxy.send(SIGINT)
            _ = try await proxy.ended()
        }
    }

    @Test(
        "what is no origin, or is named without --cors, is bad input",
        arguments: [
            (["--cors-origin", "https://a.example"], "--cors-origin is for --cors"),
            (["--cors", "--cors-origin", "https://a.example/app"], "an origin has no path"),
            (["--cors", "--cors-origin", "a.example"], "--cors-origin: a.example has no scheme"),
        ]
    )
    func refused(options: [String], message: String) async throws {
        try await withBench { bench in
            let program = try bench.authtop(
                ["proxy", "--to", "http://127.0.0.1:9", "--port", "0", "--exec", "true"] + options
            )
            #expect(try await program.ended() == .exit(2))
            #expect(program.errors.text.contains(message), "\(program.errors.text)")
        }
    }
}
