import Basics
import FoundationEssentials
import Stores
import Testing

@testable import UI

@Suite("The palette of the sessions of this machine")
struct ScreenPaletteTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    /// What is selected: a profile of authtop's own, a session of a program, or nothing.
    private enum Selected {
        case own, foreign, none
    }

    private static func opened(
        _ keys: KeyMap = .standard,
        over selected: Selected = .own,
        typing text: String = ""
    ) -> LocalScreen {
        var screen = closed(keys, over: selected)
        press(&screen, ":")
        for character in text { press(&screen, .character(character)) }
        return screen
    }

    private static func closed(
        _ keys: KeyMap = .standard,
        over selected: Selected = .own
    ) -> LocalScreen {
        var screen = LocalScreen(
            titles: ["alpha"],
            clock: ClockFormatter(utcOffsetSeconds: 0),
            home: "/home/amy",
            keys: keys
        )
        switch selected {
        case .own:
            screen.own = [LocalRow(.profile(name: "staging", place: "https://api.example"))]
        case .foreign:
            screen.sessions.take(StoreScan(files: [foreign], date: now))
        case .none: break
        }
        return screen
    }

    private static var foreign: StoreScan.File {
        let fingerprinter = Fingerprinter(salt: Array(0..<16))
        let session = StoredSession(
            id: .init(file: "/home/amy/1", place: ""),
            store: "alpha",
            title: "alpha",
            access: StoredToken(fingerprint: fingerprinter.fingerprint(of: Secret("access")))
        )
        return StoreScan.File(
            path: "/home/amy/1",
            store: "alpha",
            title: "alpha",
            sessions: [session]
        )
    }

    private static func press(_ screen: inout LocalScreen, _ keys: Key...) {
        for key in keys { _ = screen.press(key, at: now) }
    }

    private static func text(
        _ screen: inout LocalScreen,
        _ columns: Int = 120,
        _ rows: Int = 40
    ) -> String {
        screen.render(columns: columns, rows: rows, at: now).text
    }

    @Test("has every action that has a key there, and no step in a list", arguments: [false, true])
    func whole(isDetail: Bool) throws {
        var screen = Self.closed(over: .foreign)
        if isDetail { Self.press(&screen, .enter) }
        let mode = screen.mode
        Self.press(&screen, ":")
        let rows = try #require(screen.paletteList).all
        let steps = KeyTable.moves.map(\.command.keys)
        let expected = LocalScreen.commands.filter {
            $0.modes.contains(mode) && !steps.contains($0.keys) && $0.name != "palette"
                && $0.help != "undo the filter, then the choice of a row"
        }
        #expect(rows.map(\.action.help) == expected.map(\.help))
        #expect(Set(rows.map(\.title)).count == rows.count)
        #expect(rows.allSatisfy { !$0.key.isEmpty })
    }

    @Test(
        "Enter does what the key does",
        arguments: [
            ("sort", "s"), ("filter", "/"), ("my app", "a"), ("my ci", "c"), ("watch", "w"),
            ("log in", "o"), ("help", "?"), ("detail", .enter), ("redraw", .control("l")),
            ("suspend", .control("z")), ("quit", "q"),
        ] as [(String, Key)]
    )
    func enter(title: String, key: Key) {
        var screen = Self.opened(typing: title)
        var other = Self.closed()
        #expect(screen.press(.enter, at: Self.now) == other.press(key, at: Self.now))
        #expect(screen.mode == other.mode)
        #expect(Self.text(&screen) == Self.text(&other))
    }

    @Test("what is not possible now says why, before Enter and after it")
    func obstacle() {
        var screen = Self.opened(over: .foreign, typing: "log in")
        #expect(Self.text(&screen).contains("not now: alpha: only what authtop keeps itself"))
        #expect(screen.press(.enter, at: Self.now) == nil)
        #expect(Self.text(&screen).contains("alpha: only what authtop keeps itself"))
        var empty = Self.opened(over: .none, typing: "sort")
        #expect(Self.text(&empty).contains("not now: there is no session"))
    }

    @Test("letters and what is pasted are text, Tab completes it, and Esc closes it")
    func writing() {
        var screen = Self.opened(typing: "q")
        screen.paste("?w")
        Self.press(&screen, .backspace)
        #expect(screen.palette?.text == "q?")
        #expect(Self.text(&screen).contains("nothing matches"))
        #expect(screen.press(.enter, at: Self.now) == nil)
        #expect(screen.mode == .palette)
        Self.press(&screen, .control("u"), "d", "e", "m", .tab)
        #expect(screen.palette?.text == "demo")
        Self.press(&screen, .escape)
        #expect(screen.mode == .panes && !Self.text(&screen).contains("Actions"))
        Self.press(&screen, ":", .down, .down, .up)
        #expect(screen.palette?.selected == 1)
        #expect(screen.press(.control("c"), at: Self.now) == .leave(.quit))
    }

    @Test(
        "it is whole on the screen, with the user's own keys in it and its own in the last row",
        arguments: [(120, 40), (80, 24), (60, 16)]
    )
    func drawn(columns: Int, rows: Int) throws {
        var keys = KeyMap.standard
        try keys.set(["O"], for: "sort")
        var screen = Self.opened(keys, typing: "so")
        let lines = Self.text(&screen, columns, rows).split(separator: "\n").map(String.init)
        #expect(lines.contains { $0.contains("─ Actions ─") })
        #expect(lines.contains { $0.contains("╰") })
        #expect(lines.contains { $0.contains("▸ O") && $0.contains("sort") })
        let last = try #require(lines.last)
        #expect(last.contains("Enter do it") && last.contains("Esc close"))
    }
}
