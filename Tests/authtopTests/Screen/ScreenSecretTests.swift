import Testing

@Suite("The screen: secrets", .programs)
struct ScreenSecretTests {
    @Test("no token is on it, whatever pane or overlay is open", arguments: Guide.allCases)
    func nowhere(guide: Guide) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "120s", "--reuse", guide.reuse)
            let relay = try bench.relay(to: sandbox)
            let terminal = try await bench.watchOnScreen(guide, at: relay.port)
            try await terminal.see("● open")
            try await terminal.press("r")
            try await terminal.see("generation 2")
            try await terminal.press("p")
            var screens = try await terminal.see(" you ").joined(separator: "\n")
            for pane in ["1", "2", "3", "4"] {
                try await terminal.press(pane, "Enter")
                let overlay = try await terminal.see("Esc back").joined(separator: "\n")
                screens += overlay
                try await terminal.press("Escape")
                try await terminal.seeNo("Esc back")
            }
            try await terminal.press("q")
            try await terminal.seePrompt(after: 0)
            screens += try await terminal.history

            let harvest = TokenHarvest(relay)
            #expect(harvest.tokens.count >= 3)
            #expect(screens.contains("‹"))
            #expect(harvest.leaks(in: screens) == [])
        }
    }
}
