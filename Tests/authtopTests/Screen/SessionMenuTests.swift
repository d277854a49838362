import TestSupport
import Testing

@Suite("authtop alone", .programs)
struct SessionMenuTests {
    @Test("offers the stored sessions and the profiles, and watches what is chosen")
    func choosing() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "120s")
            #expect(try await bench.logIn(.voltyks, at: sandbox.port).ending == .exit(0))
            try bench.write(
                """
                extends = "creatist"
                base_url = "http://127.0.0.1:\(sandbox.port)/creatist"
                """,
                to: "config/authtop/profiles/staging.toml"
            )
            try bench.write("extends = \"oauth2\"", to: "config/authtop/profiles/bare.toml")
            let terminal = try await bench.terminal(with: [:])
            try await terminal.enter("authtop")
            let screen = try await terminal.see("Number, name, d or q:")
            let rows = screen.filter { $0.contains("127.0.0.1:\(sandbox.port)") }
            #expect(rows.count == 2)
            #expect(rows.first?.contains("1  voltyks") == true)
            #expect(rows.first?.hasSuffix("a stored session") == true)
            #expect(rows.last?.contains("2  staging") == true)
            #expect(rows.last?.hasSuffix("no session yet") == true)
            #expect(screen.contains { $0.contains("bare has no base_url") })
            try await terminal.enter("nosuch")
            try await terminal.enter("1")
            try await terminal.see("voltyks · ", "● fresh")
        }
    }

    @Test("offers the demo where nothing is there yet, and ends by q")
    func nothingYet() async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal(with: [:])
            try await terminal.enter("authtop")
            try await terminal.see("Number, name, d or q:")
            try await terminal.enter("q")
            try await terminal.seePrompt(after: 0)
            try await terminal.enter("authtop")
            try await terminal.see("Number, name, d or q:")
            try await terminal.enter("d")
            try await terminal.see("● fresh", "bitbasel")
        }
    }

    @Test("needs a terminal to ask on")
    func withoutTerminal() async throws {
        try await withBench { bench in
            let program = try bench.authtop([])
            #expect(try await program.ended() == .exit(2))
            #expect(program.errors.text.contains("which backend? Expected a profile"))
        }
    }
}
