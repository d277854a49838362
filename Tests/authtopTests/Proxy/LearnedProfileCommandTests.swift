import Foundation
import Glibc
import TestSupport
import Testing

@Suite("A profile learned by the proxy", .programs)
struct LearnedProfileCommandTests {
    /// The variables of the guide's credentials, for a profile of another name.
    private static func credentials(of guide: Guide, for name: String) -> [String: String] {
        let prefix = "AUTHTOP_\(guide.rawValue.uppercased())_"
        return Dictionary(
            uniqueKeysWithValues: guide.credentials.map { variable, value in
                (variable.replacing(prefix, with: "AUTHTOP_\(name.uppercased())_"), value)
            }
        )
    }

    /// Lets a client log in and renew through the proxy without a profile, and returns the path of
    /// what was learned.
    private static func learn(_ guide: Guide, at sandbox: Sandbox, on bench: Bench) async throws
        -> String
    {
        let path = "\(bench.home)/learned.toml"
        let proxy = try bench.authtop([
            "proxy", "--to", "http://127.0.0.1:\(sandbox.port)", "--port", "0", "--json",
            "--write-profile", path,
        ])
        let line = try await eventually("the proxy's address") { proxy.errors.lines.first }
        let port = try #require(line.firstMatch(of: /127\.0\.0\.1:(\d+)/).flatMap { Int($0.1) })
        let watch = try bench.watch(guide, at: port, "--every", "1s")
        try await watch.stream.first("refreshSucceeded")
        try await eventually("a request with the new token", evidence: { proxy.output.text }) {
            proxy.output.lines.contains {
                $0.contains("\"generation\":2") && $0.contains("\"purpose\":\"protected\"")
            }
        }
        try await watch.program.interrupt()
        proxy.send(SIGINT)
        _ = try await proxy.ended()
        return path
    }

    @Test(
        "is valid, and renews at the same backend",
        arguments: [Guide.bitbasel, .creatist, .intellipost, .melchat, .voltyks]
    )
    func renews(guide: Guide) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "6s")
            let path = try await Self.learn(guide, at: sandbox, on: bench)
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
            #expect(mode as? Int == 0o600)
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(!text.contains("user@example.com"))
            let validation = try bench.authtop(["profiles", "validate", path])
            #expect(try await validation.ended() == .exit(0), "\(validation.errors.text)\n\(text)")
            let program = try bench.authtop(
                ["watch", path, "--vault", "memory", "--json", "--for", "120s", "--every", "1s"],
                with: Self.credentials(of: guide, for: "learned")
            )
            try await EventStream(program.output).first("refreshSucceeded")
        }
    }

    @Test("is no failure of a run in which there was nothing to learn")
    func nothing() async throws {
        try await withBench { bench in
            let path = "\(bench.home)/learned.toml"
            let proxy = try bench.authtop([
                "proxy", "--to", "http://127.0.0.1:9", "--port", "0", "--json", "--for", "1s",
                "--write-profile", path,
            ])
            #expect(try await proxy.ended() != .exit(1))
            #expect(proxy.errors.text.contains("so there is no profile"), "\(proxy.errors.text)")
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }
}
