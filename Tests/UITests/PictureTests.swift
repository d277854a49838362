import Basics
import Foundation
import Model
import Observer
import Stores
import Testing

@testable import UI

@Suite("Pictures")
struct PictureTests {
    /// What the dashboard draws of a run that `.ci/film` recorded.
    private static func film(
        of name: String,
        columns: Int = 100,
        rows: Int = 30,
        step: Double
    ) throws -> Film {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let file = folder.appendingPathComponent("Pictures/\(name).jsonl")
        let run = try RecordedRun(reading: Array(try Data(contentsOf: file)))
        let recording = run.recording
        let ids = recording.header.sessions.map(\.id)
        return Film(
            of: recording,
            from: DashboardState(
                sessions: ids.map { DashboardSession(id: $0) },
                isObserved: run.observed != nil
            ),
            size: (columns, rows),
            step: step
        )
    }

    @Test(
        "The README's moving pictures are what the dashboard draws of recorded runs",
        arguments: [("session", 2), ("race", 0.25)]
    )
    func film(name: String, step: Double) throws {
        try expectFile(
            URL(fileURLWithPath: #filePath)
                .deletingLastPathComponent()
                .appendingPathComponent("../../assets/pictures/\(name).svg"),
            is: try Self.film(of: name, step: step).svg + "\n"
        )
    }

    @Test("A film has each row once, a step for each frame, and rests for those who want no motion")
    func rows() throws {
        let svg = try Self.film(of: "session", columns: 80, rows: 24, step: 5).svg
        let lines = svg.split(separator: "\n").map(String.init)
        let ids = lines.compactMap { $0.firstMatch(of: /^<g id="(r\d+)">$/).map { String($0.1) } }
        #expect(Set(ids).count == ids.count && ids.count > 24)
        let used = lines.compactMap { line in
            line.firstMatch(of: /^<use href="#(r\d+)" y="\d+(\.\d)?"\/>$/).map { String($0.1) }
        }
        #expect(Set(used) == Set(ids))
        #expect(used.count > ids.count)
        let frames = svg.matches(of: /%\{transform:translateY/).count
        // 50 s in steps of 5 s, in each of which the clock goes on.
        #expect((8...12).contains(frames), "\(frames)")
        #expect(svg.contains("prefers-reduced-motion"))
        #expect(svg.contains("fresh"))
    }

    /// `authtop local --json` in a folder with files that botocore, MSAL, gcloud's tables,
    /// huggingface_hub and rclone have written, and others in the forms of their programs.
    @Test("The README's picture of local sessions is what the table draws of a real run")
    func local() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let file = folder.appendingPathComponent("Pictures/local.jsonl")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        let objects = try lines.map { line in
            try #require(JSONValue(parsing: Array(line.utf8)))
        }
        let files = objects.enumerated().compactMap { Self.file(of: $1, place: $0) }
        #expect(files.count == objects.count)
        let written = files.compactMap { $0.facts?.modified }
        let now = try #require(written.max()).addingTimeInterval(90)
        var screen = LocalScreen(
            titles: [],
            clock: ClockFormatter(utcOffsetSeconds: 0),
            home: "/home/ada"
        )
        screen.sessions.take(StoreScan(files: files, date: now))
        try expectFile(
            folder.appendingPathComponent("../../assets/pictures/local.svg"),
            is: screen.render(columns: 120, rows: 24, at: now).svg(theme: .dark) + "\n"
        )
    }

    /// A file with the one session of a JSON object.
    private static func file(of object: JSONValue, place: Int) -> StoreScan.File? {
        func text(_ name: String) -> String? { object[name]?.stringValue }
        func date(_ name: String) -> Date? {
            text(name).flatMap {
                try? Date($0, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
            }
        }
        func token(_ name: String) -> StoredToken? {
            text("\(name)Token").map {
                StoredToken(fingerprint: Fingerprint(digits: $0), statedEnd: date("\(name)EndsAt"))
            }
        }
        guard let path = text("file"), let store = text("store"), let title = text("name"),
            let modified = date("writtenAt")
        else { return nil }
        let session = StoredSession(
            id: .init(file: path, place: String(place)),
            store: store,
            title: title,
            account: text("account"),
            access: token("access"),
            refresh: token("refresh"),
            idToken: token("id"),
            renewal: text("renewedBy").flatMap(StoreDefinition.Renewal.init)
        )
        return StoreScan.File(
            path: path,
            store: store,
            title: title,
            sessions: [session],
            facts: FileFacts(
                modified: modified,
                mode: path.hasSuffix(".npmrc") ? 0o644 : 0o600,
                protectingFolder: nil
            )
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
