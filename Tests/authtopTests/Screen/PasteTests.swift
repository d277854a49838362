import Testing

@testable import UI

@Suite("The screen: pasting", .programs)
struct PasteTests {
    /// 200 characters: every key that is a character, again and again, with ends of lines between.
    private static let text: String = {
        let keys = KeyTable.commands.flatMap(\.keys).compactMap { key -> String? in
            if case .character(let character) = key { String(character) } else { nil }
        }
        let line = keys.joined() + "\n\tlLqyE\r"
        return String(String(repeating: line, count: 9).prefix(200))
    }()

    @Test("200 characters press no key", arguments: KeyTourTests.sizes)
    func panes(size: KeyTourTests.Size) async throws {
        try await withBench { bench in
            let terminal = try await TourStage.devices.open(
                on: bench,
                columns: size.columns,
                rows: size.rows
            )
            try await terminal.see("1 sent")
            // The socket of the feed is open, and uses the token.
            try await terminal.seeNo("not used yet")
            try await terminal.see("the feed's socket") { screen in
                !screen.contains { $0.contains(" 4 Feed ─") }
                    || screen.contains { $0.contains("● open") }
            }
            let before = try await terminal.settled()
            #expect(Self.text.count == 200 && Self.text.contains("q") && Self.text.contains("L"))
            try await terminal.paste(Self.text)
            try await terminal.see("pasted text is not read as keys")
            // A key that changes nothing here takes the notice away.
            try await terminal.press("g")
            let after = try await terminal.seeNo("pasted text")
            #expect(Self.aboveFeed(after) == Self.aboveFeed(before))
            #expect(after.contains { $0.contains("1 sent") })
        }
    }

    @Test("200 characters are text in a filter, with no Enter in it", arguments: KeyTourTests.sizes)
    func filter(size: KeyTourTests.Size) async throws {
        try await withBench { bench in
            let terminal = try await TourStage.devices.open(
                on: bench,
                columns: size.columns,
                rows: size.rows
            )
            try await terminal.press("/")
            try await terminal.see("Esc clear")
            try await terminal.paste(Self.text)
            let printable = Self.text.filter { !$0.isNewline && $0 != "\t" }
            let end = String(printable.suffix(20))
            // It ends before the cursor of a prompt that is open still.
            try await terminal.see("“\(end)” in the last row") { screen in
                screen.last?.contains(end) == true && screen.last?.contains("q quit") == false
            }
            try await terminal.see("● fresh")
            try await terminal.press("Escape")
            try await terminal.see("q quit", "1 sent")
        }
    }

    @Test("200 characters are as many bullets in a secret field")
    func form() async throws {
        try await withBench { bench in
            let terminal = try await TourStage.refused.open(
                on: bench,
                columns: 60,
                rows: 16
            )
            try await terminal.press("o")
            try await terminal.see("▸ code")
            try await terminal.paste(Self.text)
            let count = Self.text.filter { !$0.isNewline && $0 != "\t" }.count
            try await terminal.see("\(count) characters", "▸ code")
        }
    }

    /// The text that stands still: numbers and bars change with time, and the feed.
    private static func aboveFeed(_ screen: [String]) -> [[Substring]] {
        screen.prefix { !$0.contains(" 4 Feed ─") }
            .map { $0.split { !$0.isLetter && $0 != "▸" && $0 != "‖" } }
            // A unit such as “h” is left out of a time when there are none of it.
            .map { words in words.filter { $0.count > 2 || $0 == "▸" || $0 == "‖" } }
    }
}
