import Basics
import Foundation
import Model
import Observer
import Testing

@testable import UI

@Suite("Pictures")
struct PictureTests {
    /// `--record` of a run of a minute at the sandbox, which refuses one token in it.
    @Test("The README's picture of a session is what the dashboard draws of a recorded run")
    func session() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let file = folder.appendingPathComponent("Pictures/session.jsonl")
        let recording = try RecordedRun(reading: Array(try Data(contentsOf: file))).recording
        // A second before its end, at which its socket is closed.
        let end = try #require(recording.end).endedAt
        let now = Moment(
            now: end.now.advanced(bySeconds: -1),
            wall: end.wall.addingTimeInterval(-1)
        )
        let ids = recording.header.sessions.map(\.id)
        var state = DashboardState(sessions: ids.map { DashboardSession(id: $0) })
        _ = state.update(.resized(columns: 120, rows: 40))
        _ = state.update(.events(recording.events.filter { $0.moment.now <= now.now }))
        try expectFile(
            folder.appendingPathComponent("../../assets/pictures/dashboard.svg"),
            is: state.screen(120, 40, now).svg(theme: .dark) + "\n"
        )
    }

    private static func film(columns: Int, rows: Int, step: Double) throws -> Film {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let file = folder.appendingPathComponent("Pictures/session.jsonl")
        let recording = try RecordedRun(reading: Array(try Data(contentsOf: file))).recording
        let ids = recording.header.sessions.map(\.id)
        return Film(
            of: recording,
            from: DashboardState(sessions: ids.map { DashboardSession(id: $0) }),
            size: (columns, rows),
            step: step
        )
    }

    @Test("The moving picture of a session is what the dashboard draws of the same run")
    func film() throws {
        try expectFile(
            URL(fileURLWithPath: #filePath)
                .deletingLastPathComponent()
                .appendingPathComponent("../../assets/pictures/session.svg"),
            is: try Self.film(columns: 100, rows: 30, step: 2).svg + "\n"
        )
    }

    @Test("A film has each row once, a step for each frame, and rests for who wants no motion")
    func rows() throws {
        let svg = try Self.film(columns: 80, rows: 24, step: 5).svg
        let lines = svg.split(separator: "\n").map(String.init)
        let ids = lines.compactMap { $0.firstMatch(of: /^<g id="(r\d+)">$/).map { String($0.1) } }
        #expect(Set(ids).count == ids.count && ids.count > 24)
        let used = lines.compactMap { line in
            line.firstMatch(of: /^<use href="#(r\d+)" y="\d+(\.\d)?"\/>$/).map { String($0.1) }
        }
        #expect(Set(used) == Set(ids))
        #expect(used.count > ids.count)
        let frames = svg.matches(of: /%\{transform:translateY/).count
        // A minute in steps of 5 s, in each of which the clock goes on.
        #expect((10...14).contains(frames), "\(frames)")
        #expect(svg.contains("prefers-reduced-motion"))
        #expect(svg.contains("fresh"))
    }

    @Test("A picture has every word of the screen, in order")
    func words() {
        let script = EventScript.ordinary()
        var state = DashboardState(script)
        let grid = state.screen(80, 24, script.now)
        let drawn = Self.texts(in: grid.svg(theme: .dark)).joined(separator: " ")
        #expect(Self.words(in: drawn) == Self.words(in: grid.text))
    }

    @Test("Markup in a text is escaped, in every theme", arguments: Theme.builtIn)
    func markup(theme: Theme) {
        var grid = Grid(columns: 20, rows: 1)
        grid.write(Line("<b>&amp;\u{1B}</b>"), in: Area(columns: 20, rows: 1), row: 0)
        let svg = grid.svg(theme: theme)
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
