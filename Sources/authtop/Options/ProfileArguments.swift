import Basics

/// The part of a command line that chooses a profile, its backend and its session, for a command that
/// is to do the same.
struct ProfileArguments: Sendable {
    /// The options of `ConnectionOptions`.
    private static let options = ["--base-url", "--credentials", "--ca-file", "--vault"]
    private static let flags = ["--allow-insecure"]

    /// The options with their values, as they were written.
    private(set) var options: [String] = []
    /// All words before `--`.
    private let words: ArraySlice<String>

    /// Those of this program.
    static var ofProgram: Self { Self(Array(CommandLine.arguments.dropFirst())) }

    /// - Parameter arguments: Those of the program, without its name.
    init(_ arguments: [String]) {
        words = arguments.prefix { $0 != "--" }
        var rest = words
        while let word = rest.popFirst() {
            if Self.flags.contains(word) || Self.options.contains(String(word.part(before: "="))) {
                options.append(word)
                if Self.options.contains(word), let value = rest.popFirst() {
                    options.append(value)
                }
            }
        }
    }

    /// Returns the words of a command, the last of which is a profile's name, with the file that the
    /// profile was chosen by, if it was, and with the options.
    func completing(_ command: [String]) -> [String] {
        guard let name = command.last else { return command }
        let file = words.first { $0 == "\(name).toml" || $0.ends(with: "/\(name).toml") }
        return command.dropLast() + [file ?? name] + options
    }
}
