import Foundation
import Glibc
import TestSupport
import Testing

@Suite("authtop proxy --forward", .programs)
struct ForwardCommandTests {
    /// Starts a sandbox whose server has a certificate for `localhost`.
    ///
    /// - Returns: Its port, and the file with the certificate of its authority.
    private static func secureSandbox(
        _ bench: Bench,
        options: [String]
    ) async throws -> (port: Int, authority: String) {
        let sandbox = try await bench.sandbox(["--reuse", "strict-revoke"] + options)
        let authority = try bench.authtop(["proxy", "ca"])
        #expect(try await authority.ended() == .exit(0), "\(authority.errors.text)")
        let server = try bench.authtop([
            "proxy", "--to", "http://127.0.0.1:\(sandbox.port)", "--port", "0", "--tls", "--json",
        ])
        let line = try await eventually("the server says where it listens") {
            server.errors.lines.first { $0.contains(" stands in for ") }
        }
        let port = try #require(
            line.split(separator: " ").first { $0.hasPrefix("https://") }?
                .split(separator: ":").last.flatMap { Int($0) }
        )
        return (port, try #require(authority.output.lines.first))
    }

    @Test(
        "an app with the backend's own address is watched through TLS: its race is named",
        arguments: [("good", Int32(0), ""), ("race", 1, "race")]
    )
    func app(mode: String, code: Int32, rule: String) async throws {
        try await withBench { bench in
            let delay = ["--faults", "delay:refresh:seconds=0.3"]
            let server = try await Self.secureSandbox(bench, options: mode == "race" ? delay : [])
            let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("app.py").path
            let program = try bench.authtop([
                "proxy", "--forward", "localhost", "--port", "0", "--ca-file", server.authority,
                "--exec",
                "API_URL=https://localhost:\(server.port)/voltyks \(Program.python) '\(script)' \(mode)",
            ])
            #expect(try await program.ended() == .exit(code), "\(program.errors.text)")
            let bugs = program.errors.lines.filter { $0.hasPrefix("bug ") }
            let rules = bugs.map { String($0.split(separator: " ")[1]) }
            #expect(rules == (rule.isEmpty ? [] : [rule]), "\(program.errors.text)")
            #expect(program.errors.text.contains(" 1 origin, 1 session"))
        }
    }

    @Test(
        "its certificates are in a file of its own that no other user can read, and that is gone afterwards",
        arguments: ["exit 0", "exit 7", "kill -TERM $PPID; sleep 1"]
    )
    func file(command: String) async throws {
        try await withBench { bench in
            let program = try bench.authtop([
                "proxy", "--forward", "api.example.com,*.example.org", "--port", "0", "--fail-on",
                "none", "--exec",
                "stat -c '%a %n' \"$SSL_CERT_FILE\"; grep -c PRIVATE \"$SSL_CERT_FILE\"; "
                    + "echo $HTTPS_PROXY $no_proxy; \(command)",
            ])
            _ = try await program.ended()
            let lines = program.output.lines
            try #require(lines.count == 3, "\(program.errors.text)")
            #expect(lines[0].hasPrefix("600 \(bench.home)/"))
            #expect(lines[1] == "0")
            #expect(lines[2].hasPrefix("http://127.0.0.1:"))
            #expect(lines[2].hasSuffix(" localhost,127.0.0.1,::1"))
            let names = try FileManager.default.subpathsOfDirectory(atPath: bench.home)
            #expect(names.filter { $0.contains("forward") || $0.hasSuffix(".pem") } == [])
        }
    }

    @Test("a program that takes no proxy is named as that")
    func ignored() async throws {
        try await withBench { bench in
            let program = try bench.authtop([
                "proxy", "--forward", "api.example.com", "--port", "0", "--exec", "true",
            ])
            #expect(try await program.ended() == .exit(4))
            #expect(program.errors.text.contains("no request came through: does the program read"))
        }
    }

    @Test(
        "says what is wrong with its hosts",
        arguments: [
            ("*", "is too wide"), ("https://api.example.com", "is no host name"),
            ("127.0.0.1", "is an address"), ("a.example,", "\"\" is no host name"),
        ]
    )
    func mistake(hosts: String, message: String) async throws {
        try await withBench { bench in
            let program = try bench.authtop(["proxy", "--forward", hosts, "--exec", "true"])
            #expect(try await program.ended() == .exit(2))
            #expect(program.errors.text.contains("--forward: "), "\(program.errors.text)")
            #expect(program.errors.text.contains(message), "\(program.errors.text)")
        }
    }

    @Test("the demo's app keeps the address of its backend, and its race is found through TLS")
    func demo() async throws {
        try await withBench { bench in
            let program = try bench.authtop(["proxy", "--demo", "--forward", "--json"])
            try await eventually("a race") {
                program.output.lines.contains {
                    $0.contains(#""kind":"finding""#) && $0.contains(#""rule":"race""#)
                }
            }
            #expect(program.errors.text.contains("is a proxy to every server, and opens localhost"))
            #expect(!program.output.text.contains(#""kind":"omitted""#))
        }
    }
}
