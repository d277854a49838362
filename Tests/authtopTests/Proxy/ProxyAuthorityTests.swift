import Foundation
import Glibc
import TestSupport
import Testing

@Suite("authtop proxy --tls", .programs)
struct ProxyAuthorityTests {
    private static func mode(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("the command of --exec reaches the backend with the certificate that it is told to trust")
    func exec() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let program = try bench.authtop([
                "proxy", "--to", "http://127.0.0.1:\(sandbox.port)", "--port", "0", "--tls",
                "--env", "API_URL", "--fail-on", "none", "--exec",
                "curl -sS --cacert \"$AUTHTOP_CA_FILE\" \"$API_URL/__sandbox/state\" | head -c 1",
            ])
            #expect(try await program.ended() == .exit(0), "\(program.errors.text)")
            #expect(program.output.text == "{")
        }
    }

    @Test("authtop's own client goes through it by the name of this machine, from login to renewal")
    func ownClient() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "6s")
            let guide = Guide.voltyks
            let program = try bench.authtop(
                [
                    "proxy", guide.rawValue, "--to",
                    "http://127.0.0.1:\(sandbox.port)/\(guide)", "--port", "0", "--tls",
                    "--env", "API_URL", "--fail-on", "none", "--exec",
                    guide.assignments
                        + "'\(Authtop.path)' watch \(guide) --vault memory --json --every 1s --for 12s "
                        + "--ca-file \"$AUTHTOP_CA_FILE\" "
                        + "--base-url \"$(echo \"$API_URL\" | sed s/127.0.0.1/localhost/)\"",
                ]
            )
            let ending = try await program.ended(within: .seconds(180))
            #expect(ending == .exit(0), "\(program.errors.text)")
            let output = program.output.text
            #expect(output.contains("\"kind\":\"refreshSucceeded\""), "\(program.errors.text)")
        }
    }

    @Test("ca makes the authority once, says how to trust it, and removes it")
    func authority() async throws {
        try await withBench { bench in
            let first = try bench.authtop(["proxy", "ca"])
            #expect(try await first.ended() == .exit(0), "\(first.errors.text)")
            let file = try #require(first.output.lines.first)
            let key = String(file.dropLast(4)) + ".key"
            #expect(try Self.mode(of: key) == 0o600)
            let certificate = try String(contentsOfFile: file, encoding: .utf8)
            #expect(!certificate.contains("PRIVATE"))
            for text in ["NODE_EXTRA_CA_CERTS=\(file)", "update-ca-certificates", "certutil"] {
                #expect(first.output.text.contains(text), "\(text)")
            }
            let again = try bench.authtop(["proxy", "ca"])
            #expect(try await again.ended() == .exit(0))
            #expect(again.output.text == first.output.text)
            let removal = try bench.authtop(["proxy", "ca", "--remove"])
            #expect(try await removal.ended() == .exit(0))
            for path in [file, key] { #expect(!FileManager.default.fileExists(atPath: path)) }
            let nothing = try bench.authtop(["proxy", "ca", "--remove"])
            #expect(try await nothing.ended() == .exit(0))
            #expect(nothing.output.text.contains("nothing to remove"))
        }
    }

    @Test("a key that others can read, or that is none, is bad input")
    func badKey() async throws {
        try await withBench { bench in
            let first = try bench.authtop(["proxy", "ca"])
            #expect(try await first.ended() == .exit(0))
            let key = String(try #require(first.output.lines.first).dropLast(4)) + ".key"
            #expect(chmod(key, 0o644) == 0)
            let open = try bench.authtop(["proxy", "ca"])
            #expect(try await open.ended() == .exit(2))
            #expect(open.errors.text.contains("chmod 600 \(key)"), "\(open.errors.text)")
            #expect(chmod(key, 0o600) == 0)
            try Data("nothing".utf8).write(to: URL(fileURLWithPath: key))
            let broken = try bench.authtop([
                "proxy", "--to", "http://127.0.0.1:9", "--port", "0", "--tls", "--exec", "true",
            ])
            #expect(try await broken.ended() == .exit(2))
            #expect(broken.errors.text.contains("authtop proxy ca --remove"))
        }
    }

    @Test("the screen says which file to trust")
    func screen() async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal(columns: 120, rows: 40)
            try await terminal.enter(
                "authtop proxy --to https://api.example.com --port 0 --tls"
            )
            try await terminal.see(
                "https://authtop.localhost:",
                "authtop proxy ca says how to trust"
            )
            // The page of programs of the command line is the last one.
            try await terminal.press("Left")
            try await terminal.see("curl -i --cacert \(bench.home)")
        }
    }
}
