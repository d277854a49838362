import Foundation
import TestSupport
import Testing

@Suite("A profile that names its issuer", .programs)
struct IssuerTests {
    /// Writes a profile of three lines, and returns its path.
    private func profile(of issuer: String, on bench: Bench, _ lines: String = "") throws -> String
    {
        try bench.write(
            "extends = \"oauth2\"\nissuer = \"\(issuer)\"\nclient_id = \"sandbox\"\n\(lines)",
            to: "mine.toml"
        )
    }

    /// A server with metadata of its own making: the issuer, and the members for its URL.
    private func provider(
        on bench: Bench,
        issuer: String? = nil,
        _ members: @escaping @Sendable (String) -> String
    ) throws -> LoopbackServer {
        bench.keep(
            try LoopbackServer { request in
                let host = request.headers.first { $0.name == "host" }?.value ?? ""
                let issuer = issuer ?? "http://\(host)"
                return Answers.json(200, "{\"issuer\": \"\(issuer)\", \(members(issuer))}")
            }
        )
    }

    @Test("three lines are enough for a sign-in with a browser, a renewal and a logout")
    func threeLines() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let path = try profile(of: "http://127.0.0.1:\(sandbox.port)/oauth2", on: bench)
            let valid = try bench.authtop(["profiles", "validate", path])
            #expect(try await valid.ended() == .exit(0), "\(valid.errors.text)")
            #expect(
                valid.output.text.contains("tokens go to http://127.0.0.1:\(sandbox.port)"),
                "\(valid.output.text)"
            )
            let login = try bench.authtop(["login", path, "--no-browser"])
            _ = try await HandMadeBrowser.open(try await login.signInAddress() + "&sandbox=approve")
            #expect(try await login.ended() == .exit(0), "\(login.errors.text)")
            for command in ["refresh", "logout"] {
                let program = try bench.authtop([command, path])
                #expect(try await program.ended() == .exit(0), "\(program.errors.text)")
            }
        }
    }

    @Test("`profiles show` names the source of each value")
    func shown() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let issuer = "http://127.0.0.1:\(sandbox.port)/oauth2"
            let show = try bench.authtop(["profiles", "show", try profile(of: issuer, on: bench)])
            #expect(try await show.ended() == .exit(0), "\(show.errors.text)")
            let source = "# from \(issuer)/.well-known/openid-configuration: token_endpoint"
            #expect(show.output.text.contains(source), "\(show.output.text)")
        }
    }

    @Test("while the issuer cannot be reached, the copy of its metadata is used, and that is said")
    func copy() async throws {
        try await withBench { bench in
            let provider = try provider(on: bench) {
                "\"token_endpoint\": \"\($0)/token\", \"grant_types_supported\": [\"password\"]"
            }
            let issuer = "http://127.0.0.1:\(provider.port)"
            let path = try profile(of: issuer, on: bench)
            let status = try bench.authtop(["status", path])
            #expect(try await status.ended() == .exit(1), "\(status.errors.text)")
            await provider.stop()
            let offline = try bench.authtop(["status", path])
            #expect(try await offline.ended() == .exit(1))
            #expect(offline.errors.text.contains("mine: the metadata of "))
            #expect(offline.errors.text.contains("is used: \(issuer)/.well-known/"))
            let export = try bench.authtop(["data", "export", path])
            #expect(try await export.ended() == .exit(0), "\(export.errors.text)")
            let file = try #require(
                export.output.text.split(separator: "\"").first { $0.hasSuffix(".metadata") }
            )
            let name = String(file).replacing("\\/", with: "/")
            let mode = try FileManager.default.attributesOfItem(atPath: name)[.posixPermissions]
            #expect(mode as? Int == 0o600)
            let forget = try bench.authtop(["data", "forget", path, "--yes"])
            #expect(try await forget.ended() == .exit(0), "\(forget.errors.text)")
            let without = try bench.authtop(["status", path])
            #expect(try await without.ended() == .exit(3))
            #expect(without.errors.text.contains("mine.toml:2: issuer: \(issuer)/.well-known/"))
        }
    }

    @Test(
        "metadata that does not fit ends the command with 2 and the line that names the issuer",
        arguments: [
            ("https://evil.example", "", "is of the issuer https://evil.example, expected http://"),
            (nil, "\"x\": 1", "token_endpoint is missing"),
            (
                nil, "\"token_endpoint\": \"http://id.example.com/token\"",
                "token_endpoint is not a URL with https, or of this machine"
            ),
        ] as [(String?, String, String)]
    )
    func unfit(issuer: String?, members: String, message: String) async throws {
        try await withBench { bench in
            let provider = try provider(on: bench, issuer: issuer) { _ in
                members.isEmpty ? "\"x\": 1" : members
            }
            let path = try profile(of: "http://127.0.0.1:\(provider.port)", on: bench)
            let login = try bench.authtop(["login", path])
            #expect(try await login.ended() == .exit(2))
            #expect(login.errors.text.contains("mine.toml:2: issuer: http://127.0.0.1:"))
            #expect(login.errors.text.contains(message), "\(login.errors.text)")
        }
    }

    @Test(
        "an issuer in clear text, or without metadata, is refused with its line",
        arguments: ["http://id.example.com", "sandbox"]
    )
    func refused(issuer: String) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            // The sandbox has none at its root.
            let url = issuer == "sandbox" ? "http://127.0.0.1:\(sandbox.port)/no" : issuer
            let validate = try bench.authtop([
                "profiles", "validate", try profile(of: url, on: bench),
            ])
            #expect(try await validate.ended() == .exit(2))
            #expect(validate.errors.text.contains("mine.toml:2: issuer: \(url)"))
        }
    }
}
