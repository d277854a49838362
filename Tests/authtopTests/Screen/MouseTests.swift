import Testing

@Suite("The screen: mouse", .programs)
struct MouseTests {
    /// A click as xterm reports it, in columns and rows counted from 1.
    private static func click(_ column: Int, _ row: Int) -> String {
        "\u{1B}[<0;\(column);\(row)M\u{1B}[<0;\(column);\(row)m"
    }

    @Test("a click focuses a pane, a line, and opens it; z gives a pane the screen")
    func clicks() async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            try await terminal.enter("authtop demo --access-ttl 120s")
            let screen = try await terminal.see("▸3 Requests", "/posts/feed")
            let tokens = try #require(screen.firstIndex { $0.contains("1 Tokens") })
            try await terminal.type(Self.click(5, tokens + 1))
            try await terminal.see("▸1 Tokens")
            let requests = try #require(screen.firstIndex { $0.contains("3 Requests") })
            try await terminal.type(Self.click(5, requests + 3))
            try await terminal.see("▸3 Requests", "held")
            try await terminal.type(Self.click(5, requests + 3))
            try await terminal.see("Esc back")
            try await terminal.escape(from: "Esc back")
            try await terminal.press("z")
            try await terminal.seeNo("╭─ 1 Tokens")
            try await terminal.press("z")
            try await terminal.see("1 Tokens", "4 Feed")
        }
    }
}
