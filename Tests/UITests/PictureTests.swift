import Client
import Foundation
import Model
import Testing
import UI

@Suite("Pictures")
struct PictureTests {
    /// The screens that the README shows.
    private static let stories: [(name: String, script: EventScript)] =
        [("dashboard", .ordinary())]
        + EventScript.allStates.filter { $0.name == "signed-out-revoked" }

    @Test("The pictures in the README are what the dashboard draws", arguments: stories.map(\.name))
    func pictures(name: String) throws {
        let script = try #require(Self.stories.first { $0.name == name }).script
        var state = DashboardState(script)
        let grid = state.screen(120, 40, script.now)
        try expectFile(
            URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../assets/pictures/\(name).svg"),
            is: grid.svg(theme: .dark) + "\n"
        )
    }

    @Test("A picture has every word of the screen, in order")
    func words() {
        let script = EventScript.ordinary()
        var state = DashboardState(script)
        let grid = state.screen(80, 24, script.now)
        let drawn = Self.texts(in: grid.svg(theme: .dark)).joined(separator: " ")
        #expect(Self.words(in: drawn) == Self.words(in: grid.text))
    }

    @Test("Markup in a text is escaped, in every theme", arguments: Theme.Name.allCases)
    func markup(theme: Theme.Name) {
        var grid = Grid(columns: 20, rows: 1)
        grid.write(Line("<b>&amp;\u{1B}</b>"), in: Area(columns: 20, rows: 1), row: 0)
        let svg = grid.svg(theme: .named(theme))
        #expect(svg.contains(">&lt;b&gt;&amp;amp;␛&lt;/b&gt;</text>"))
    }

    @Test("A cell in reverse is drawn on its own ground")
    func reversed() {
        var grid = Grid(columns: 3, rows: 1)
        grid.write(Line("abc", .selected), in: Area(columns: 3, rows: 1), row: 0)
        let lines = grid.svg(theme: .dark).split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("<rect") && $0.contains(##"fill="#d4d8dd""##) })
        #expect(lines.contains { $0.hasPrefix("<text") && $0.contains(##"fill="#10141a""##) })
    }

    private static func texts(in svg: String) -> [String] {
        svg.split(separator: "\n").compactMap { line -> String? in
            guard line.hasPrefix("<text"), let start = line.firstIndex(of: ">") else { return nil }
            return String(line[line.index(after: start)...].dropLast("</text>".count))
                .replacing("&lt;", with: "<").replacing("&gt;", with: ">")
                .replacing("&amp;", with: "&")
        }
    }

    /// The words, without borders and bars, which a picture draws as shapes.
    private static func words(in text: String) -> [String] {
        let shapes: Set<Character> = ["─", "│", "┃", "╭", "╮", "╰", "╯", "█", "░"]
        return text.split { $0.isWhitespace || shapes.contains($0) }.map(String.init)
    }
}
