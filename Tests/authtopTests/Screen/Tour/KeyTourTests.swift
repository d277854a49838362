import Foundation
import Testing

@testable import UI

/// Each key of the table is pressed in each of its modes, and what follows is looked for.
@Suite("The screen: a tour of every key", .programs)
struct KeyTourTests {
    struct Size: Sendable, CustomTestStringConvertible {
        let columns: Int
        let rows: Int

        var testDescription: String { "\(columns) × \(rows)" }
    }

    static let sizes = [
        Size(columns: 160, rows: 50), Size(columns: 120, rows: 40), Size(columns: 80, rows: 24),
        Size(columns: 60, rows: 16),
    ]

    @Test(
        "does what the help says",
        .enabled("AUTHTOP_TOUR is not set") { isAsked },
        arguments: KeyTour.legs,
        sizes
    )
    func tour(leg: KeyTour.Leg, size: Size) async throws {
        try await withBench { bench in
            let terminal = try await leg.stage.open(
                on: bench,
                columns: size.columns,
                rows: size.rows
            )
            for step in leg.approach { try await terminal.perform(step) }
            for stop in leg.stops { try await stop.run(on: terminal) }
        }
    }

    /// The tour takes minutes, and runs by hand.
    private static var isAsked: Bool {
        ProcessInfo.processInfo.environment["AUTHTOP_TOUR"] != nil
    }

    private struct Place: Hashable, CustomStringConvertible {
        let mode: KeyMode
        let key: Key
        let help: String

        var description: String { "\(KeyText.name(key)) in \(mode): \(help)" }
    }

    @Test("visits every key of the table in each of its modes, with the words of the help")
    func whole() {
        let stops = KeyTour.legs.flatMap(\.stops)
        let visited = Set(stops.map { Place(mode: $0.mode, key: $0.key, help: $0.help) })
        let table = Set(
            KeyTable.commands.flatMap { command in
                command.modes.flatMap { mode in
                    command.keys.map { Place(mode: mode, key: $0, help: command.help) }
                }
            }
        )
        #expect(table.subtracting(visited).map(\.description).sorted() == [])
        #expect(visited.subtracting(table).map(\.description).sorted() == [])
    }

    @Test(
        "all of the help can be read, page by page",
        .enabled("AUTHTOP_TOUR is not set") { isAsked },
        arguments: sizes.suffix(2)
    )
    func help(size: Size) async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal(columns: size.columns, rows: size.rows)
            try await terminal.enter("authtop demo --every 1h")
            try await terminal.see("● fresh")
            try await terminal.press("?")
            try await terminal.see("─ Help ─")
            var rows: [String] = []
            var title = ""
            repeat {
                let before = title
                try await terminal.see("the next page") { screen in
                    screen.contains { $0.contains("╭─ Help") && $0 != before }
                }
                // The title is drawn before the rows.
                let screen = try await terminal.settled()
                title = screen.first { $0.contains("╭─ Help") } ?? ""
                rows += screen.filter { $0.contains("│") }
                try await terminal.press("NPage")
            } while title.contains("more below")
            let text = Self.words(rows.joined(separator: " "))
            for command in KeyTable.commands {
                #expect(text.contains(Self.words(command.help)), "\(command.help)")
            }
        }
    }

    /// Without what stands between words that are broken into rows, or beside others.
    private static func words(_ text: String) -> [String] {
        text.split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }
}
