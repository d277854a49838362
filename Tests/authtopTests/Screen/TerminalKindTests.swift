import Testing

@Suite("The screen: terminals", .programs)
struct TerminalKindTests {
    @Test(
        "one that cannot be a screen is told so in one line",
        arguments: [
            ("TERM=dumb", "dumb"), ("TERM=no-such-terminal", "no-such-terminal"), ("TERM=", "TERM"),
        ]
    )
    func refused(setting: String, says: String) async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            try await terminal.enter("clear; \(setting) authtop demo 2>errors")
            try await terminal.seePrompt(after: 2)
            try await terminal.enter("clear; wc -l <errors; cat errors")
            let screen = try await terminal.see("authtop: ")
            #expect(screen.first == "1")
            #expect(screen.joined().contains(says))
            #expect(screen.joined().contains("--json"))
        }
    }

    @Test(
        "a screen of ASCII, where that was asked for",
        arguments: ["--ascii", "--ascii --no-color"]
    )
    func ascii(options: String) async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            try await terminal.enter("authtop demo --access-ttl 60s \(options)")
            let screen = try await terminal.see("generation 1", "fresh")
            #expect(screen.allSatisfy { line in line.allSatisfy(\.isASCII) })
        }
    }

    @Test("a locale without UTF-8 gets ASCII by itself")
    func locale() async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            try await terminal.enter("LC_ALL=C authtop demo --access-ttl 60s")
            let screen = try await terminal.see("generation 1")
            #expect(screen.allSatisfy { line in line.allSatisfy(\.isASCII) })
        }
    }

    @Test("output that is no terminal gets lines")
    func pipe() async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            try await terminal.enter("clear; authtop demo --for 2s | head -n 1 | cut -c 1-5")
            try await terminal.see(#"{"at""#)
            try await terminal.seePrompt(after: 0)
        }
    }
}
