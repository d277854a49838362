import Foundation
import TestSupport
import Testing

@Suite("Logging in on any device", .programs)
struct DeviceLoginTests {
    private func profile(of sandbox: Sandbox, on bench: Bench) throws -> String {
        try bench.write(
            """
            extends = "oauth2"
            base_url = "http://127.0.0.1:\(sandbox.port)/oauth2"
            grant = "device_code"
            client_auth = "public"
            client_id = "sandbox"
            """,
            to: "mine.toml"
        )
    }

    /// Waits for the code that the program prints for the user.
    private func code(printedBy login: Program) async throws -> String {
        let line = try await eventually("a code", evidence: { login.errors.text }) {
            login.errors.lines.first { $0.contains("enter the code ") }
        }
        return line.components(separatedBy: "enter the code ")[1].filter { $0 != ":" }
    }

    private func decide(_ decision: String, _ code: String, at sandbox: Sandbox) async throws
        -> HTTPMessage
    {
        try await HandMadeBrowser.post(
            "user_code=\(code)&sandbox=\(decision)",
            to: "http://127.0.0.1:\(sandbox.port)/oauth2/device"
        )
    }

    @Test("prints the address and the code, and keeps the session that the user allows")
    func allowed() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let path = try profile(of: sandbox, on: bench)
            let login = try bench.authtop(["login", path, "--json"])
            let code = try await code(printedBy: login)
            #expect(login.errors.text.contains("http://127.0.0.1:\(sandbox.port)/oauth2/device"))
            let stream = EventStream(login.output)
            let requested = try await stream.first("authorizationRequested")
            #expect(requested.text("userCode") == code)
            // The device asks at least once before the user decides.
            try await stream.first("a request for the tokens", after: requested) {
                $0.isRequest("login") && $0.status == 400
            }
            #expect(try await decide("approve", code, at: sandbox).status == 200)
            #expect(try await login.ended() == .exit(0), "\(login.errors.text)")
            try await stream.first("tokensIssued")
            let refresh = try bench.authtop(["refresh", path])
            #expect(try await refresh.ended() == .exit(0), "\(refresh.errors.text)")
        }
    }

    @Test("ends with 1 and the server's word when the user denies it")
    func denied() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let login = try bench.authtop(["login", try profile(of: sandbox, on: bench)])
            _ = try await decide("deny", try await code(printedBy: login), at: sandbox)
            #expect(try await login.ended() == .exit(1))
            #expect(login.errors.text.contains("the server refused the login: access_denied"))
        }
    }

    @Test("a command in a script shows no code")
    func script() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let token = try bench.authtop(["token", try profile(of: sandbox, on: bench)])
            #expect(try await token.ended() != .exit(0))
            #expect(!token.errors.text.contains("enter the code"))
        }
    }

    @Test("on the dashboard an overlay shows the code and a QR code of 80 × 24; Esc cancels")
    func dashboard() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let path = try profile(of: sandbox, on: bench)
            let terminal = try await bench.terminal(columns: 80, rows: 24, with: [:])
            try await terminal.enter("authtop watch \(path) --vault memory")
            let screen = try await terminal.see("Log in on any device")
            #expect(screen.contains { $0.contains("/oauth2/device") })
            #expect(screen.contains { $0.contains("▀") })
            try await terminal.press("Escape")
            try await terminal.see("the login was cancelled")
            try await terminal.press("o")
            let again = try await terminal.see("enter this code")
            let code = try #require(
                again.joined(separator: " ").firstMatch(of: /[0-9A-F]{4}-[0-9A-F]{4}/)
            )
            _ = try await decide("approve", String(code.output), at: sandbox)
            try await terminal.see("● fresh")
            try await terminal.press("q")
            try await terminal.seePrompt(after: 0)
        }
    }
}
