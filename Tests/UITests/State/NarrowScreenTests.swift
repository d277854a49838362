import Model
import Testing
import UI

@Suite("What a narrow screen must not cut")
struct NarrowScreenTests {
    static let sizes = [(80, 24), (60, 16)]

    private static func words(_ rows: some Sequence<some StringProtocol>) -> [Substring] {
        rows.joined(separator: " ").split(separator: " ").flatMap { $0.split(separator: "│") }
            .map { Substring($0) }
    }

    @Test("a notice of any usual length is there to its last word", arguments: sizes)
    func notices(columns: Int, rows: Int) {
        let script = EventScript.ordinary()
        var state = DashboardState(script)
        let plain = state.screen(columns, rows, script.now).text.split(separator: "\n")
        for count in 1...24 {
            let message = (1...count).map { "word-\($0)" }.joined(separator: " ")
            _ = state.update(.notice(message))
            let screen = state.screen(columns, rows, script.now).text.split(separator: "\n")
            #expect(
                Self.words(screen).filter { $0.hasPrefix("word-") }.joined(separator: " ")
                    == message
            )
            // The panes are where they were.
            #expect(screen.prefix(rows - rows / 3) == plain.prefix(rows - rows / 3))
        }
    }

    @Test("a notice that would fill the screen ends in …, and leaves the panes their rows")
    func longNotice() {
        let script = EventScript.ordinary()
        var state = DashboardState(script)
        _ = state.update(.notice(String(repeating: "long ", count: 2_000)))
        let screen = state.screen(60, 16, script.now).text.split(separator: "\n")
        #expect(screen.count == 16)
        #expect(screen[14].contains("…"))
        #expect(screen.count { $0.contains("long") } == 4)
        #expect(screen.last?.hasSuffix("q quit  ? help") == true)
    }

    @Test("a vault that cannot be used says in the header what to do", arguments: sizes)
    func vault(columns: Int, rows: Int) {
        var script = EventScript.cold()
        let message =
            "/home/user/.local/state/authtop/voltyks-0123456789abcdef.vault: was changed, cut short "
            + "or damaged; put a good copy back, or move it away"
        script.enter(.vaultUnavailable(VaultProblem(message: message)))
        var state = DashboardState(script)
        let screen = state.screen(columns, rows, script.now).text.split(separator: "\n")
        let header = screen.prefix { !$0.contains("╭") }
        #expect(Self.words(header).joined(separator: " ").contains("or move it away"))
        #expect(screen.count == rows)
        #expect(screen.last?.hasSuffix("q quit  ? help") == true)
        // Where a row is found by the mouse, and how far an overlay goes, follow the header.
        state.press("?", "G")
        let help = state.screen(columns, rows, script.now).text
        #expect(help.contains("grace window"))
        #expect(!help.contains("more below"))
    }

    @Test("a mistake in a filter that Enter refuses is there to its end", arguments: sizes)
    func mistake(columns: Int, rows: Int) {
        let script = EventScript.ordinary()
        var state = DashboardState(script)
        state.press("/")
        state.type("path:/posts/feed method:GET why:every time:noon")
        state.press(.enter)
        let screen = state.screen(columns, rows, script.now).text.split(separator: "\n")
        let text = Self.words(screen.suffix(3)).joined(separator: " ")
        #expect(text.contains("time: expected 14:02, >14:02 or 14:02..14:05, found “noon”"))
        #expect(screen.last?.contains("time:noon") == true)
    }
}
