import Basics
import Platform
import Profiles
import UI

/// The sessions that `authtop` offers to watch when it is started without a profile.
struct SessionMenu {
    enum Choice: Equatable {
        case demo
        /// A profile, with the base URL of its stored session if that is not the profile's own.
        case watch(profile: String, baseURL: String?)
        case quit
    }

    struct Row: Equatable {
        let name: String
        let place: String
        let state: String
        let choice: Choice
    }

    let rows: [Row]
    /// Why some profiles cannot be offered, each on one line.
    let remarks: [String]

    /// Collects the stored sessions, then the user's profiles that define a backend.
    init(on connection: ConnectionOptions, in environment: LiveEnvironment) async throws {
        var rows: [Row] = []
        var remarks: [String] = []
        for chosen in try await connection.storedSessions(in: environment) {
            rows.append(
                Row(
                    name: chosen.name,
                    place: chosen.origin.description,
                    state: "a stored session",
                    choice: .watch(profile: chosen.name, baseURL: chosen.origin.description)
                )
            )
        }
        for entry in environment.catalogue.entries where entry.file != nil {
            do {
                guard try environment.catalogue.profile(named: entry.name).namesBackend else {
                    remarks.append("\(entry.name) has no base_url: add --base-url")
                    continue
                }
                let chosen = try await connection.openedProfile(named: entry.name, in: environment)
                let place = chosen.origin.description
                guard !rows.contains(where: { $0.name == chosen.name && $0.place == place }) else {
                    continue
                }
                rows.append(
                    Row(
                        name: chosen.name,
                        place: place,
                        state: "no session yet",
                        choice: .watch(profile: chosen.name, baseURL: nil)
                    )
                )
            } catch let failure as CommandFailure {
                remarks.append("\(entry.name) cannot be used: \(failure.message)")
            }
        }
        self.rows = rows
        self.remarks = remarks
    }

    /// The text above the prompt.
    var lines: [String] {
        let width = (rows.map(\.name.visibleInOneLine.count) + ["demo".count]).max() ?? 0
        let places = rows.map(\.place.visibleInOneLine.count).max() ?? 0
        var lines = ["authtop: sessions to watch", ""]
        for (index, row) in rows.enumerated() {
            let number = String(repeating: " ", count: index < 9 ? 3 : 2) + "\(index + 1)"
            let name = row.name.visibleInOneLine.padded(to: width)
            let place = row.place.visibleInOneLine.padded(to: places)
            lines.append("\(number)  \(name)  \(place)  \(row.state)")
        }
        lines.append("   d  \("demo".padded(to: width))  a session on the built-in backend")
        lines.append("   q  quit")
        lines += [""] + remarks.map(\.visibleInOneLine)
        lines.append("Your own app:        authtop proxy --to URL")
        lines.append("Another backend:     authtop watch DIALECT --base-url URL")
        lines.append("  \(DialectCatalogue.builtInNames)")
        lines.append("A profile of it:     authtop profiles init")
        lines.append("All commands:        authtop --help")
        return lines + [""]
    }

    /// Returns the choice that an answer names, or `nil` if it names none.
    func choice(for answer: String) -> Choice? {
        switch String(answer.trimming { $0 <= 0x20 }) {
        case "d", "demo": return .demo
        case "q", "quit": return .quit
        case let name:
            if let number = Int(name), rows.indices.contains(number - 1) {
                return rows[number - 1].choice
            }
            let named = rows.filter { $0.name == name }
            return named.count == 1 ? named[0].choice : nil
        }
    }

    /// Shows the menu on the terminal until an answer names a choice, or the input ends.
    func ask() throws -> Choice {
        for line in lines { _ = StandardOutput.write(line) }
        guard let prompt = TerminalPrompt() else { return .quit }
        while let answer = prompt.ask("Number, name, d or q: ", isSecret: false) {
            if let choice = choice(for: answer) { return choice }
        }
        return .quit
    }
}
