import Foundation
import TestSupport
import Testing

@Suite(
    "An MCP server that is not ours",
    .programs,
    .enabled("fastmcp is not installed, see AUTHTOP_MCP_PYTHON") { await MCPServer.isInstalled() }
)
struct MCPServerTests {
    @Test("is logged in to by a profile that was made of its URL alone, renewed, and logged out")
    func session() async throws {
        try await withBench { bench in
            let server = try await bench.mcpServer(lifetime: 600)
            let written = try bench.authtop(["profiles", "init", "found", "--mcp", server.url])
            #expect(try await written.ended() == .exit(0), "\(written.errors.text)")
            let browser = ["BROWSER": try bench.silentBrowser()]
            let trial = try bench.authtop(
                ["profiles", "validate", "found", "--try"],
                with: browser
            )
            #expect(try await trial.ended() == .exit(0), "\(trial.errors.text)")
            #expect(trial.output.text.contains("used the token"), "\(trial.output.text)")
            let login = try bench.authtop(["login", "found"], with: browser)
            #expect(try await login.ended() == .exit(0), "\(login.errors.text)")
            let refresh = try bench.authtop(["refresh", "found"])
            #expect(try await refresh.ended() == .exit(0), "\(refresh.errors.text)")
            let logout = try bench.authtop(["logout", "found"])
            #expect(try await logout.ended() == .exit(0), "\(logout.errors.text)")
            // The client that was registered at the first login is that of the next one: the server
            // knows no other redirect of it.
            let next = try bench.authtop(["login", "found"], with: browser)
            #expect(try await next.ended() == .exit(0), "\(next.errors.text)")
            let export = try bench.authtop(["data", "export", "found"])
            #expect(try await export.ended() == .exit(0), "\(export.errors.text)")
            #expect(export.output.text.contains("\"client\""))
        }
    }

    @Test(
        "is checked without a profile",
        arguments: [
            ("replace", "strict", "states the same scope"),
            ("keep", "static", "states the same scope"), ("narrow", "strict", "has lost scope"),
        ]
    )
    func checked(rotation: String, policy: String, scope: String) async throws {
        try await withBench { bench in
            let server = try await bench.mcpServer(lifetime: 600, rotation: rotation)
            let check = try bench.authtop(
                ["check", "--mcp", server.url, "--quick", "--json"],
                with: ["BROWSER": try bench.silentBrowser()]
            )
            #expect(try await check.ended() == .exit(0), "\(check.errors.text)")
            let report = JSON.object(try JSON.object(in: check.output.text))
            #expect(report["policy.name"] == .text(policy), "\(check.output.text)")
            #expect(check.output.text.contains(scope), "\(check.output.text)")
            // Its tokens are opaque, and it ignores the resource.
            #expect(check.output.text.contains("resource"))
        }
    }
}
