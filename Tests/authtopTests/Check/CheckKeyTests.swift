import Observer
import Profiles
import Testing

@testable import UI
@testable import authtop

@Suite("authtop check: the keys of its screen")
struct CheckKeyTests {
    private static func screen(_ keys: KeyMap = .standard) throws -> CheckScreen {
        let dialect = try #require(Dialect.builtIn(named: "voltyks"))
        let machine = CheckMachine(dialect: dialect, credentials: [:])
        return CheckScreen(title: "acme", machine: machine, keys: keys)
    }

    private static func rows(_ screen: inout CheckScreen) -> [String] {
        screen.render(columns: 80, rows: 24).text.split(separator: "\n").map(String.init)
    }

    @Test("no key means two things in one mode, and each has words", arguments: KeyMode.allCases)
    func unambiguous(mode: KeyMode) {
        let commands = CheckScreen.commands.filter { $0.modes.contains(mode) }
        let keys = commands.flatMap(\.keys)
        #expect(Set(keys).count == keys.count)
        #expect(commands.allSatisfy { !$0.help.isEmpty })
    }

    @Test("a key that the dashboard has too means the same there")
    func agreement() {
        for command in CheckScreen.commands {
            guard let name = command.name else { continue }
            let other = KeyTable.commands.first { $0.name == name }
            #expect(other?.keys.first == command.keys.first, "\(name)")
        }
    }

    @Test("the last row names the keys that work, in the probes and in the exchanges of one")
    func lastRow() throws {
        var screen = try Self.screen()
        #expect(Self.rows(&screen).last?.hasPrefix(" ↑ ↓ select  Enter exchanges ") == true)
        #expect(Self.rows(&screen).last?.hasSuffix("q stop  ? help") == true)
        _ = screen.perform(.enter)
        #expect(Self.rows(&screen).last?.hasPrefix(" ↑ ↓ scroll ") == true)
        #expect(Self.rows(&screen).last?.hasSuffix("Esc back  ? help") == true)
        // It closes what is open, and stops nothing.
        _ = screen.perform("q")
        #expect(Self.rows(&screen).last?.hasSuffix("q stop  ? help") == true)
        _ = screen.perform("q")
        #expect(Self.rows(&screen).last?.hasSuffix("q leave them  ? help") == true)
        #expect(screen.perform(.control("c")) == .leave(.report))
    }

    @Test("its palette finds its actions by their names, and stops nothing by letters")
    func palette() throws {
        var screen = try Self.screen()
        for key in [":", "q", "u"] as [Key] { #expect(screen.perform(key) == nil) }
        let text = Self.rows(&screen).joined(separator: "\n")
        #expect(text.contains("─ Actions ─") && text.contains("▸ q"))
        #expect(!screen.isStopping)
        _ = screen.perform(.enter)
        #expect(screen.isStopping)
        #expect(Self.rows(&screen).last?.hasSuffix("q leave them  ? help") == true)
        screen.paste("q")
        #expect(screen.perform(":") == nil)
        screen.paste("help")
        _ = screen.perform(.enter)
        #expect(Self.rows(&screen).last?.hasSuffix("Esc back  ? help") == true)
    }

    @Test("a key opens the help, which lists every key, and closes it")
    func help() throws {
        var screen = try Self.screen()
        _ = screen.perform("?")
        let text = screen.render(columns: 80, rows: 40).text
        for command in CheckScreen.commands {
            #expect(text.contains(KeyText.names(command.keys)), "\(command.help)")
        }
        _ = screen.perform("?")
        #expect(Self.rows(&screen).last?.contains("Enter exchanges") == true)
    }

    @Test("the user's own keys work, and stand in the last row")
    func own() throws {
        var keys = KeyMap.standard
        try keys.set(["x"], for: "quit", on: KeyTable.screens + [CheckScreen.commands])
        try keys.set(["e"], for: "detail", on: [CheckScreen.commands])
        var screen = try Self.screen(keys)
        let row = try #require(Self.rows(&screen).last)
        #expect(row.contains("e exchanges") && row.contains("x stop"))
        _ = screen.perform("e")
        #expect(Self.rows(&screen).last?.contains("scroll") == true)
    }
}
