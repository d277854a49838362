import Glibc
import TestSupport
import Testing

@Suite("The screen: ways out", .programs)
struct WayOutTests {
    enum WayOut: Sendable {
        case key(String)
        case signal(Int32)
        case option(String)
        /// An option by which it ends a second after its start.
        case atOnce(String)
    }

    @Test(
        "the terminal is as it was before",
        arguments: [
            (WayOut.key("q"), 0 as Int32), (.key("C-c"), 0), (.signal(SIGTERM), 143),
            (.signal(SIGHUP), 129), (.signal(SIGINT), 130), (.option("--for 15s"), 0),
            (.atOnce("--end-by error"), 1), (.atOnce("--end-by crash"), 132),
        ]
    )
    func restored(way: WayOut, code: Int32) async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            let settings = try terminal.settings
            let modes = try await terminal.modes
            var command = "authtop demo"
            switch way {
            case .key, .signal: break
            case .option(let option), .atOnce(let option): command += " \(option)"
            }
            try await terminal.enter(command)
            switch way {
            case .key, .signal, .option: try await terminal.see("● fresh")
            case .atOnce:
                // Its screen may be gone before it could be read.
                break
            }
            switch way {
            case .key(let key):
                #expect(try await terminal.modes != modes)
                try await terminal.press(key)
            case .signal(let number):
                #expect(try await terminal.modes != modes)
                kill(try await terminal.pid, number)
            case .option, .atOnce:
                // It ends when it likes, perhaps before it could be read.
                break
            }
            try await terminal.seePrompt(after: code)
            #expect(try terminal.settings == settings)
            #expect(try await terminal.modes == modes)
            try await terminal.enter("echo typed $((40 + 2))")
            let screen = try await terminal.see("typed 42")
            #expect(screen.contains { $0.contains("echo typed") })
            #expect(!screen.contains { $0.contains("● fresh") })
        }
    }

    @Test(
        "what went wrong stands on the terminal after the screen is gone",
        arguments: [
            ("error", 1 as Int32, "authtop: "), ("crash", 132, "ended by a crash, as asked"),
        ]
    )
    func told(option: String, code: Int32, message: String) async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            try await terminal.enter("authtop demo --end-by \(option)")
            let screen = try await terminal.seePrompt(after: code)
            #expect(screen.contains { $0.contains(message) })
        }
    }
}
