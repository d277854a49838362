internal import CNcurses
internal import Glibc

extension TerminalScreen {
    /// Sets the character locale of the process to that of the environment.
    ///
    /// - Returns: Whether it uses UTF-8.
    static func adoptLocale(_ environment: [String: String]) -> Bool {
        _ = localeNames(in: environment).first { cn_set_character_locale($0) != 0 }
        return cn_locale_is_utf8() != 0
    }

    /// Returns the name of a terminal that supports a full screen; writes nothing to it.
    static func usableTerm(_ environment: [String: String]) throws(TerminalError) -> String {
        if isatty(STDIN_FILENO) == 0 { throw .notATerminal(.input) }
        if isatty(STDOUT_FILENO) == 0 { throw .notATerminal(.output) }
        guard let term = environment["TERM"], !term.isEmpty else { throw .termUnset }
        switch cn_find_description(term) {
        case 1: break
        case 0: throw .termUnknown(term)
        default: throw .noDatabase
        }
        defer { cn_forget_description() }
        if cn_capability("cup") == nil { throw .termTooSimple(term) }
        return term
    }
}

/// Returns the locales to try for characters, the best first.
///
/// Only `LC_CTYPE` is set: the process's decimal points and dates stay unchanged. A UTF-8 locale
/// that is not installed, as in a minimal container, still indicates a UTF-8 terminal, so `C.UTF-8`
/// replaces it.
func localeNames(in environment: [String: String]) -> [String] {
    let named = ["LC_ALL", "LC_CTYPE", "LANG"].lazy
        .compactMap { environment[$0] }
        .first { !$0.isEmpty }
    guard let named else { return ["C"] }
    let encoding = named.lowercased().filter { $0 != "-" }
    return encoding.contains("utf8") ? [named, "C.UTF-8", "C"] : [named, "C"]
}

/// The reason why the screen cannot be shown.
package enum TerminalError: Error, Sendable, Equatable {
    package enum Stream: String, Sendable {
        case input = "standard input"
        case output = "standard output"
    }

    case notATerminal(Stream)
    case termUnset
    /// The terminfo database has no entry of this name.
    case termUnknown(String)
    /// The terminal cannot position its cursor, which a screen requires.
    case termTooSimple(String)
    case noDatabase
    /// ncurses failed to initialize a terminal whose description it found.
    case refused(String)
}

extension TerminalError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notATerminal(let stream):
            "The screen needs a terminal, and \(stream.rawValue) is not one: "
                + "run without a pipe or a redirection, or use --json."
        case .termUnset:
            "TERM is not set, so the kind of terminal is unknown: "
                + "try TERM=xterm-256color, or use --json."
        case .termUnknown(let name):
            "This system has no description of the terminal “\(printable(name))” (TERM): "
                + "install it, try TERM=xterm-256color, or use --json."
        case .termTooSimple(let name):
            "A “\(printable(name))” terminal (TERM) cannot position its cursor, which the screen requires: "
                + "use another terminal, or use --json."
        case .noDatabase:
            "No terminfo database was found: install ncurses-base, "
                + "set TERMINFO to its path, or use --json."
        case .refused(let name):
            "ncurses cannot drive a “\(printable(name))” terminal (TERM): "
                + "try TERM=xterm-256color, or use --json."
        }
    }

    private func printable(_ name: String) -> String {
        String(name.prefix(40).map { $0.isASCII && $0 >= " " && $0 != "\u{7F}" ? $0 : "?" })
    }
}
