import Basics
import Profiles
import UI

/// The defaults of the screen, a part of `UserConfiguration`.
struct ScreenDefaults: Sendable, Equatable {
    enum Clock: String, CaseIterable, Sendable {
        case local
        case utc
    }

    private(set) var theme = Theme.dark
    /// Whether the theme is that of the terminal's ground, since nothing names one.
    private(set) var followsGround = true
    /// Those that can be chosen.
    private(set) var themes = Theme.builtIn
    var isASCII = false
    var hasMouse = true
    var rings = false
    var clock = Clock.local
    var keys = KeyMap.standard

    /// The commands of each screen.
    private static let screens: [[any ListedCommand]] =
        KeyTable.screens + [CheckScreen.commands]

    static let names = ["theme", "ascii", "mouse", "bell", "clock", "keys"]

    /// - Parameter themes: The user's own themes, beside those of the program.
    init(themes: [Theme] = []) {
        let names = Set(themes.map(\.name))
        self.themes = Theme.builtIn.filter { !names.contains($0.name) } + themes
        theme = self.themes.first { $0.name == theme.name } ?? theme
    }

    /// Takes one key of the file in.
    mutating func adopt(_ item: TOMLItem) throws(DialectError) {
        switch item.key {
        case "theme":
            theme = try item.theme(among: themes)
            followsGround = false
        case "ascii": isASCII = try item.flag()
        case "mouse": hasMouse = try item.flag()
        case "bell": rings = try item.flag()
        case "clock": clock = try item.choice()
        case "keys": try adopt(keys: item)
        default: throw item.unknown(among: UserConfiguration.names)
        }
    }

    /// Chooses the theme that the command line names.
    mutating func choose(theme name: String) throws(CommandFailure) {
        guard let theme = themes.first(where: { $0.name == name }) else {
            let names = themes.map(\.name).joined(separator: ", ")
            let text = "--theme: there is no theme \"\(name)\": expected one of \(names)"
            throw CommandFailure(.badInput, text)
        }
        self.theme = theme
        followsGround = false
    }

    /// The offset of the times on the screen from UTC, in seconds.
    func utcOffsetSeconds(in environment: LiveEnvironment) -> Int {
        clock == .utc ? 0 : environment.utcOffsetSeconds
    }

    private mutating func adopt(keys table: TOMLItem) throws(DialectError) {
        guard case .table(let members) = table.value else {
            throw table.mistake("a table, such as [keys]")
        }
        var changes: [(item: TOMLItem, keys: [Key])] = []
        for item in members.values.sorted(by: { $0.line < $1.line }) {
            guard KeyMap.names.contains(item.key) else {
                throw item.unknown(among: KeyMap.names)
            }
            changes.append((item, try item.keys()))
        }
        // All are taken away first, so that two commands can exchange their keys.
        for change in changes { keys.clear(change.item.key) }
        for (item, newKeys) in changes {
            do throws(KeyMap.Mistake) {
                try keys.set(newKeys, for: item.key, on: Self.screens)
            } catch {
                throw item.mistake(error.expectation)
            }
        }
    }
}

extension TOMLItem {
    fileprivate func mistake(_ expected: String) -> DialectError {
        DialectError(
            file: file,
            line: line,
            key: path,
            found: "found \(kind)",
            expected: "expected \(expected)"
        )
    }

    fileprivate func unknown(among names: [String]) -> DialectError {
        let nearest = NearestKey.of(key, among: names).map { "; did you mean \($0)?" } ?? ""
        return DialectError(
            file: file,
            line: line,
            key: path,
            found: "unknown key",
            expected: "expected one of \(names.joined(separator: ", "))\(nearest)"
        )
    }

    fileprivate func flag() throws(DialectError) -> Bool {
        guard case .bool(let flag) = value else { throw mistake("true or false") }
        return flag
    }

    fileprivate func choice<Choice: RawRepresentable & CaseIterable>() throws(DialectError)
        -> Choice
    where Choice.RawValue == String {
        guard case .string(let text) = value, let choice = Choice(rawValue: text) else {
            let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw mistake("one of \(names)")
        }
        return choice
    }

    fileprivate func theme(among themes: [Theme]) throws(DialectError) -> Theme {
        guard case .string(let name) = value, let theme = themes.first(where: { $0.name == name })
        else { throw mistake("one of \(themes.map(\.name).joined(separator: ", "))") }
        return theme
    }

    /// One key, or a list of keys, by their names.
    fileprivate func keys() throws(DialectError) -> [Key] {
        let items: [TOMLItem] = if case .list(let items) = value { items } else { [self] }
        guard !items.isEmpty else { throw mistake("a key, or a list of keys") }
        var keys: [Key] = []
        for item in items {
            guard case .string(let name) = item.value, let key = KeyText.key(named: name) else {
                let last = Key.functions.upperBound
                throw item.mistake(
                    "the name of a key, such as \"R\", \"Ctrl-t\" or \"F5\" (F1 to F\(last))"
                )
            }
            keys.append(key)
        }
        return keys
    }
}

extension KeyMap.Mistake {
    fileprivate var expectation: String {
        switch self {
        case .taken(let key, let name):
            "another key: \(KeyText.name(key)) is taken by \(name ?? "another action")"
        case .reserved(let key):
            "another key: \(KeyText.name(key)) cannot have another meaning"
        }
    }
}
