import Testing

@Suite("The screen: statistics", .programs)
struct StatisticsTests {
    @Test("i shows what the session has cost so far, and counts on while it is open")
    func counting() async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal(columns: 80, rows: 24)
            try await terminal.enter("authtop demo --access-ttl 12s --every 1s")
            try await terminal.see("● open")
            try await terminal.press("r")
            try await terminal.press("i")
            try await terminal.see("you ×1", "Statistics", "no token     at no time")
            try await terminal.see("timer ×2")
            try await terminal.press("i")
            try await terminal.seeNo("lead left")
            try await terminal.see("▸3 Requests")
        }
    }
}
