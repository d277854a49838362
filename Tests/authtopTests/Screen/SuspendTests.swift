import TestSupport
import Testing

@Suite("The screen: suspending", .programs)
struct SuspendTests {
    @Test("Ctrl-Z gives the terminal back, and fg draws the screen again, the session alive")
    func suspend() async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            let settings = try terminal.settings
            let modes = try await terminal.modes
            try await terminal.enter("authtop demo --access-ttl 60s")
            try await terminal.see("● fresh")
            let modesOnScreen = try await terminal.modes
            for _ in 1...2 {
                try await terminal.press("C-z")
                try await terminal.see("Stopped")
                try await terminal.see("a prompt") { screen in
                    screen.last { !$0.isEmpty }?.hasSuffix("]>") == true
                }
                #expect(try terminal.settings == settings)
                #expect(try await terminal.modes == modes)
                try await terminal.enter("fg")
                try await terminal.see("● fresh")
                try await terminal.seeNo("Stopped")
                // A frame that is being drawn changes some of them for a moment.
                try await eventually("the modes of the screen") {
                    try await terminal.modes == modesOnScreen
                }
            }
            try await terminal.press("r")
            try await terminal.see("generation 2")
            try await terminal.press("q")
            try await terminal.seePrompt(after: 0)
            #expect(try terminal.settings == settings)
        }
    }

    @Test("a suspended screen can resume at another size")
    func resized() async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            try await terminal.enter("authtop demo --access-ttl 60s")
            try await terminal.see("● fresh")
            try await terminal.press("C-z")
            try await terminal.see("Stopped")
            try await terminal.resize(columns: 80, rows: 24)
            try await terminal.enter("fg")
            try await terminal.see("a screen of 80 × 24") { screen in
                screen.count == 24 && screen[23].hasSuffix("? help")
                    && screen.contains { $0.contains("● fresh") }
            }
        }
    }
}
