import Testing

@Suite("The screen: the login form", .programs)
struct LoginFormTests {
    @Test("o asks again for what was refused, shows no secret, and logs in with what is typed")
    func correction() async throws {
        try await withBench { bench in
            let terminal = try await askedAgain(on: bench, after: "mistyped-secret")
            try await terminal.see("set by AUTHTOP_VOLTYKS_EMAIL")
            try await terminal.see("set by AUTHTOP_VOLTYKS_PASSWORD")
            try await terminal.press("p", "a", "s", "s", "w", "o", "r", "d")
            try await terminal.see("••••••••")
            try await terminal.press("Enter")
            try await terminal.see("● fresh")
            try await terminal.press("l")
            try await terminal.see("Log out?")
            try await terminal.press("y")
            try await terminal.see("○ logged out by you")
            try await terminal.press("o")
            try await terminal.see("● fresh")
            try await terminal.press("q")
            try await terminal.seePrompt(after: 0)
            let history = try await terminal.history
            #expect(!history.contains("mistyped"))
        }
    }

    @Test("a paste of 8 KiB is taken whole, and Esc gives it up")
    func paste() async throws {
        try await withBench { bench in
            let terminal = try await askedAgain(on: bench, after: "wrong")
            try await terminal.see("set by AUTHTOP_VOLTYKS_PASSWORD")
            for _ in 0..<8 {
                try await terminal.type(String(repeating: "k3y-", count: 256))
            }
            let screen = try await terminal.see("8 192 characters").joined()
            #expect(!screen.contains("k3y"))
            try await terminal.press("Escape")
            try await terminal.seeNo("characters")
            try await terminal.see("login failed: refused")
        }
    }

    /// A screen whose form asks again after a login that was refused.
    private func askedAgain(on bench: Bench, after password: String) async throws -> Terminal {
        let sandbox = try await bench.sandbox("--access-ttl", "60s")
        let variables = Guide.voltyks.credentials
            .merging(["AUTHTOP_VOLTYKS_PASSWORD": password]) { $1 }
        let terminal = try await bench.terminal(columns: 80, rows: 24, with: variables)
        let base = "http://127.0.0.1:\(sandbox.port)/voltyks"
        try await terminal.enter("authtop watch voltyks --base-url \(base)")
        try await terminal.see("login failed: refused")
        try await terminal.press("o")
        return terminal
    }
}
