import Basics
import Testing

@Suite("The screen: sizes", .programs)
struct SizeTests {
    struct Size: Sendable, CustomTestStringConvertible {
        let columns: Int
        let rows: Int
        /// Of the six panes: how many have their frame on the screen.
        let panes: Int

        var testDescription: String { "\(columns) × \(rows)" }
    }

    static let sizes = [
        Size(columns: 200, rows: 60, panes: 6),
        Size(columns: 120, rows: 40, panes: 6),
        Size(columns: 80, rows: 24, panes: 4),
        Size(columns: 60, rows: 16, panes: 1),
    ]

    @Test("the state, the panes and the help are there", arguments: sizes)
    func fits(size: Size) async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal(columns: size.columns, rows: size.rows)
            try await terminal.enter("authtop demo --access-ttl 60s")
            try await terminal.see("● fresh")
            try await expect(size, on: terminal)
        }
    }

    @Test("below 60 × 16 a line says what is needed, and q still quits")
    func tooSmall() async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal(columns: 30, rows: 8)
            try await terminal.enter("authtop demo")
            try await terminal.see("needs 60 × 16, has 30 × 8")
            try await terminal.press("q")
            try await terminal.seePrompt(after: 0)
        }
    }

    @Test("a screen that changes its size is drawn again, even from one character")
    func resize() async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            try await terminal.enter("authtop demo --access-ttl 60s")
            try await terminal.see("● fresh")
            for size in Self.sizes.reversed() + Self.sizes.dropFirst() {
                try await terminal.resize(columns: 1, rows: 1)
                try await terminal.resize(columns: size.columns, rows: size.rows)
                try await expect(size, on: terminal)
            }
            try await terminal.press("q")
            try await terminal.seePrompt(after: 0)
        }
    }

    @Test("a size that went and came back is a reason to draw, too")
    func backAgain() async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            try await terminal.enter("authtop demo --access-ttl 120s --every 1h")
            try await terminal.see("● open")
            for _ in 1...5 {
                try await terminal.scribble("\u{1B}[18;10Hscribbled over")
                try await terminal.see("scribbled over")
                try await terminal.announce([(70, 20), (120, 40)])
                try await terminal.seeNo("scribbled over")
            }
            try await terminal.see("● fresh")
        }
    }

    @Test("a hundred sizes while events pour in leave a screen that is right", arguments: sizes)
    func manySizes(last: Size) async throws {
        try await withBench { bench in
            // No token is near its end while a slow machine changes sizes.
            let sandbox = try await bench.sandbox(
                "--access-ttl",
                "1h",
                "--refresh-ttl",
                "1d",
                "--feed-rate",
                "200"
            )
            let terminal = try await bench.watchOnScreen(
                .bitbasel,
                at: sandbox.port,
                "--every",
                "100ms"
            )
            try await terminal.see("● open")
            var random = SeededGenerator(seed: UInt64(last.columns))
            for _ in 0..<100 {
                try await terminal.resize(
                    columns: Int.random(in: 1...200, using: &random),
                    rows: Int.random(in: 1...60, using: &random)
                )
            }
            try await terminal.resize(columns: last.columns, rows: last.rows)
            try await expect(last, on: terminal)
            try await terminal.see("frames from edge to edge") { screen in
                screen.dropFirst(2).dropLast().allSatisfy { row in
                    let isTabs = row.contains(" 1 Tokens") && !row.contains("╭")
                    return isTabs
                        || row.count == last.columns && "╭│╰".contains(row.first ?? " ")
                            && "╮│╯".contains(row.last ?? " ")
                }
            }
            // A pane in which little moves is the same when it is drawn again.
            try await terminal.press("1")
            if last.panes > 1 { try await terminal.press("z") }
            // A frame may reach the terminal in pieces, and be read between two of them.
            var earlier: [String] = []
            let before = try await terminal.see("the tokens alone, twice the same") { screen in
                defer { earlier = Self.withoutNumbers(screen) }
                return screen.contains { $0.contains("╭─▸1 Tokens") } && screen.frames == 1
                    && Self.withoutNumbers(screen) == earlier
            }
            try await terminal.press("C-l")
            try await terminal.see("the same after Ctrl-L") { screen in
                Self.withoutNumbers(screen) == Self.withoutNumbers(before)
            }
            try await terminal.press("r")
            try await terminal.seeGeneration(atLeast: 2)
        }
    }

    /// The sockets are left out, too: a slow machine falls behind the feed, and gets another one.
    private static func withoutNumbers(_ screen: [String]) -> [String] {
        screen.map {
            $0.replacing(/, sockets?[0-9 …,]+/, with: " ").replacing(/[0-9 ]+/, with: "0")
        }
    }

    private func expect(_ size: Size, on terminal: Terminal) async throws {
        try await terminal.see("\(size.testDescription), \(size.panes) panes") { screen in
            let frames = screen.map { line in line.count { $0 == "╭" } }.reduce(0, +)
            let corners = screen.map { line in line.count { $0 == "╯" } }.reduce(0, +)
            return screen.count == size.rows
                && screen.contains { $0.contains("● fresh") || $0.contains("◐ renewing") }
                && screen[0].contains("authtop  bitbasel")
                && screen[size.rows - 1].hasSuffix("? help")
                && frames == size.panes && corners == size.panes
                && screen.contains { $0.hasSuffix("╮") && $0.count == size.columns }
        }
    }
}
