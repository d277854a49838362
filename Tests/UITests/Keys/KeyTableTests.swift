import Basics
import Foundation
import Model
import Observer
import Testing

@testable import UI

@Suite("Keys: the table")
struct KeyTableTests {
    @Test("no key means two things in one mode", arguments: KeyMode.allCases)
    func unambiguous(mode: KeyMode) {
        let keys = KeyTable.commands.filter { $0.modes.contains(mode) }.flatMap(\.keys)
        #expect(Set(keys).count == keys.count)
    }

    @Test("no key means two things in one mode of another screen", arguments: KeyMode.allCases)
    func unambiguousElsewhere(mode: KeyMode) {
        let keys = LocalScreen.commands.filter { $0.modes.contains(mode) }.flatMap(\.keys)
        #expect(Set(keys).count == keys.count)
    }

    @Test("a command has its usual keys on every screen that has it")
    func agreement() {
        var usual: [String: Key] = [:]
        for command in KeyTable.screens.joined() {
            guard let name = command.name else { continue }
            #expect(usual[name, default: command.keys[0]] == command.keys[0], "\(name)")
            usual[name] = command.keys[0]
        }
    }

    @Test("every pane has its digit")
    func digits() {
        for pane in PaneCatalogue.all {
            let key = Key.character(Character(String(pane.id.rawValue)))
            #expect(KeyMap.standard.command(for: key, in: .panes)?.help == pane.title)
        }
    }

    @Test("Ctrl-C quits in every mode", arguments: KeyMode.allCases)
    func control(mode: KeyMode) {
        let command = KeyMap.standard.command(for: .control("c"), in: mode)
        #expect(command?.help == "quit at once")
    }

    @Test(
        "letters are text while a filter is written",
        arguments: ["q", "r", "L", "?", " ", "1"] as [Key]
    )
    func prompt(key: Key) {
        #expect(KeyMap.standard.command(for: key, in: .prompt) == nil)
    }

    @Test("every key is in the help, with words")
    func help() {
        let script = EventScript.ordinary()
        var state = DashboardState(script)
        state.press("?")
        let text = state.screen(120, 200, script.now).text
        for command in KeyTable.commands {
            #expect(!command.help.isEmpty)
            for key in command.keys { #expect(text.contains(KeyText.name(key))) }
        }
    }

    @Test("two commands can exchange their keys, and no other can lose one")
    func exchange() throws {
        var keys = KeyMap.standard
        #expect(throws: KeyMap.Mistake.taken("p", by: "send")) {
            try keys.set(["p"], for: "renew")
        }
        keys.clear("renew")
        keys.clear("send")
        try keys.set(["p"], for: "renew")
        try keys.set(["r"], for: "send")
        #expect(keys.command(for: "p", in: .panes)?.name == "renew")
        #expect(keys.command(for: "r", in: .panes)?.name == "send")
    }

    @Test(
        "some keys cannot have another meaning",
        arguments: [.control("c"), .escape, "0", "7"] as [Key]
    )
    func reserved(key: Key) {
        var keys = KeyMap.standard
        #expect(throws: KeyMap.Mistake.reserved(key)) { try keys.set([key], for: "renew") }
    }

    @Test("a key is found by its name", arguments: KeyTable.commands.flatMap(\.keys))
    func names(key: Key) {
        #expect(KeyText.key(named: KeyText.name(key)) == key)
    }

    @Test("a name that is none is no key", arguments: ["", "nosuch", "Ctrl-", "F0", "Fx"])
    func noName(name: String) {
        #expect(KeyText.key(named: name) == nil)
    }

    @Test(
        "how to quit and the help are always there",
        arguments: Array(60...100) + stride(from: 104, through: 160, by: 4)
    )
    func hints(columns: Int) throws {
        let script = EventScript.ordinary()
        var state = DashboardState(script)
        func last() -> String? {
            state.screen(columns, 24, script.now).text.split(separator: "\n").last.map(String.init)
        }
        #expect(last()?.hasSuffix("q quit  ? help") == true)
        #expect(last()?.contains("r renew") == true)
        for length in [10, 40, 60, 90, 150] {
            _ = state.update(.notice(String(repeating: "notice ", count: length / 7)))
            #expect(last()?.hasSuffix("q quit  ? help") == true)
        }
        var playback = Playback(of: try Recording(of: script))
        playback.perform(.toEnd, at: .origin)
        _ = state.update(.playback(playback))
        #expect(last()?.hasSuffix("q quit  ? help") == true)
        state.press("i")
        #expect(last()?.hasSuffix("? help") == true)
        #expect(last()?.contains("Esc back") == true)
    }

    @Test("the keys that the page on the dashboard names are those of the table")
    func page() throws {
        let text = try String(contentsOf: Self.page("Dashboard"), encoding: .utf8)
        let start = try #require(text.firstRange(of: "\n## Keys\n")).lowerBound
        let end = try #require(text.firstRange(of: "\n## Several sessions\n")).lowerBound
        let keys = text[start..<end].matches(of: /`([^`]+)`/).compactMap { match in
            KeyText.key(named: String(match.1))
        }
        #expect(keys.count > 30)
        for key in keys {
            let isKnown = [KeyMode.panes, .replay].contains { mode in
                KeyMap.standard.command(for: key, in: mode) != nil
            }
            #expect(isKnown, "\(KeyText.name(key))")
        }
    }

    @Test("the page on interfaces lists the commands that can have other keys")
    func configurable() throws {
        let file = Self.page("Interfaces")
        let text = try String(contentsOf: file, encoding: .utf8)
        let head = "| action | usual key |\n| --- | --- |\n"
        let start = try #require(text.firstRange(of: head)).upperBound
        let end = try #require(text[start...].firstRange(of: "\n\n")).lowerBound
        var rows: [String] = []
        for command in KeyTable.screens.joined() {
            guard let name = command.name else { continue }
            let begin = "| `\(name)` | "
            guard !rows.contains(where: { $0.hasPrefix(begin) }) else { continue }
            rows.append("\(begin)`\(KeyText.name(command.keys[0]))` |")
        }
        let table = rows.joined(separator: "\n")
        if ProcessInfo.processInfo.environment["UPDATE_PAGES"] == "1", text[start..<end] != table {
            try text.replacingCharacters(in: start..<end, with: table)
                .write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(text[start..<end] == table, "UPDATE_PAGES=1 writes it")
    }

    private static func page(_ name: String) -> URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Sources/authtop/authtop.docc/\(name).md")
    }
}
