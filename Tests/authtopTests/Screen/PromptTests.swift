import Testing

@Suite("The screen: credentials", .programs)
struct PromptTests {
    @Test("are asked for where none are at hand, the secret one without an echo")
    func asked() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "60s")
            let terminal = try await bench.terminal()
            let settings = try terminal.settings
            let base = "http://127.0.0.1:\(sandbox.port)/voltyks"
            try await terminal.enter("authtop watch voltyks --base-url \(base)")
            try await terminal.see("voltyks email:")
            try await terminal.enter("user@example.com")
            try await terminal.seeHidden("voltyks password:")
            try await terminal.enter("password")
            try await terminal.see("● fresh")
            try await terminal.press("q")
            try await terminal.seePrompt(after: 0)
            let history = try await terminal.history
            #expect(history.contains("voltyks email: user@example.com"))
            #expect(!history.contains("password: p"))
            #expect(try terminal.settings == settings)
        }
    }
}
