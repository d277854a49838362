import Basics
import Glibc
import Profiles
import UI

/// The user's own settings, from `config.toml` in the configuration folder.
struct UserConfiguration: Sendable {
    var screen = ScreenDefaults()
    var notifications = NotificationSettings()

    /// The keys of the file.
    static let names = ScreenDefaults.names + NotificationSettings.names

    /// - Parameter themes: The user's own themes.
    init(themes: [Theme] = []) {
        screen = ScreenDefaults(themes: themes)
    }

    /// Reads a file; one that does not exist has no effect.
    ///
    /// - Throws: `CommandFailure` with the file, the line and the key of a mistake.
    init(file: String, themes: [Theme] = []) throws(CommandFailure) {
        guard access(file, F_OK) == 0 else {
            self.init(themes: themes)
            return
        }
        do throws(DialectError) {
            try self.init(
                text: try FileTrust.text(ofFile: file, expected: "a configuration"),
                file: file,
                themes: themes
            )
        } catch {
            throw CommandFailure(.badInput, error.description)
        }
    }

    init(text: String, file: String, themes: [Theme] = []) throws(DialectError) {
        self.init(themes: themes)
        let root = try TOMLItem.reading(text, file: file)
        guard case .table(let members) = root.value else { return }
        for item in members.values.sorted(by: { $0.line < $1.line })
        where !NotificationSettings.names.contains(item.key) {
            try screen.adopt(item)
        }
        notifications = try NotificationSettings(SchemaTable(root, keys: Self.names))
    }
}
