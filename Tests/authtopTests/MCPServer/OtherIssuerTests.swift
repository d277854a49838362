import TestSupport
import Testing

@Suite(
    "An MCP server whose tokens another one issues, which is not ours",
    .programs,
    .enabled("python3-authlib and python3-flask are not installed") {
        await OpenIDProvider.isInstalled()
    }
)
struct OtherIssuerTests {
    /// A server that only says who issues its tokens.
    private func server(of provider: OpenIDProvider, on bench: Bench) throws -> String {
        let listener = bench.keep(
            try LoopbackServer { request in
                let url = "http://\(request.values(of: "host").first ?? "")/mcp"
                guard request.path == "/.well-known/oauth-protected-resource/mcp" else {
                    return Answers.unauthorized
                }
                return Answers.json(
                    200,
                    """
                    {"resource": "\(url)", "authorization_servers": ["\(provider.issuer)"]}
                    """
                )
            }
        )
        return "http://127.0.0.1:\(listener.port)/mcp"
    }

    @Test("is logged in to by its URL and the client's id, renewed, and logged out")
    func session() async throws {
        try await withBench { bench in
            let provider = try await bench.openIDProvider(lifetime: 120)
            let url = try server(of: provider, on: bench)
            let written = try bench.authtop([
                "profiles", "init", "found", "--mcp", url, "--client-id", "authtop",
            ])
            #expect(try await written.ended() == .exit(0), "\(written.errors.text)")
            let login = try bench.authtop(["login", "found", "--no-browser"])
            let address = try await login.signInAddress()
            #expect(address.contains("resource=http%3A%2F%2F127.0.0.1%3A"), "\(address)")
            try await bench.signIn(at: address)
            #expect(try await login.ended() == .exit(0), "\(login.errors.text)")
            for command in ["refresh", "logout"] {
                let program = try bench.authtop([command, "found"])
                #expect(try await program.ended() == .exit(0), "\(program.errors.text)")
            }
        }
    }

    @Test("is checked by its URL and the client's id, and its policy is named")
    func checked() async throws {
        try await withBench { bench in
            let provider = try await bench.openIDProvider(lifetime: 600)
            let url = try server(of: provider, on: bench)
            let browser = "\(Program.python) -B \(OAuthServer.browser) %s"
            let check = try bench.authtop(
                [
                    "check", "--mcp", url, "--client-id", "authtop", "--json",
                    "--only", "refresh,reuse,resource",
                ],
                with: ["BROWSER": browser]
            )
            #expect(try await check.ended() == .exit(0), "\(check.errors.text)")
            let report = JSON.object(try JSON.object(in: check.output.text))
            #expect(report["policy.name"] == .text("strict"), "\(check.output.text)")
        }
    }
}
