/// A command of a screen, as the help, the manual page and a configuration file have it.
package protocol ListedCommand: Sendable {
    /// The usual keys.
    var keys: [Key] { get }
    /// Where they have this meaning.
    var modes: Set<KeyMode> { get }
    /// The name in a configuration file, or `nil` if the command cannot have other keys.
    var name: String? { get }
    var help: String { get }
    /// Whether the help shows it in the line of the previous command.
    var joinsPrevious: Bool { get }
}

extension Array where Element: ListedCommand {
    /// The commands of each line of the help.
    var lines: [[Element]] {
        reduce(into: []) { lines, command in
            if command.joinsPrevious, !lines.isEmpty {
                lines[lines.count - 1].append(command)
            } else {
                lines.append([command])
            }
        }
    }
}
