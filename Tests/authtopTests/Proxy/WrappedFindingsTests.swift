import Foundation
import TestSupport
import Testing

@Suite("The findings of a run on a terminal", .programs)
struct WrappedFindingsTests {
    @Test("are broken between words, below the words of their first rows")
    func wrapped() async throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("app.py").path
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let terminal = try await bench.terminal(columns: 60, rows: 40)
            let command = "\(Program.python) \"\(script)\" spent"
            try await terminal.enter(
                "authtop proxy --to http://127.0.0.1:\(sandbox.port)/voltyks --port 0 "
                    + "--env API_URL --exec '\(command)'"
            )
            try await terminal.see("found what --fail-on names")
            let screen = try await terminal.lines
            let first = try #require(screen.firstIndex { $0.hasPrefix("      #3 sends a refresh") })
            #expect(screen[first + 1].hasPrefix("      "), "\(screen[first...])")
            // The line takes more than two rows, and all of its words are whole.
            let text = screen[first...].joined(separator: " ").split(separator: " ")
            #expect(text.contains("delivered") && text.contains("client:"), "\(screen[first...])")
        }
    }
}
