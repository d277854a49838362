/// Why there can be no screen here.
package enum TerminalError: Error, Sendable, Equatable {
    package enum Stream: String, Sendable {
        case input = "standard input"
        case output = "standard output"
    }

    case notATerminal(Stream)
    case termUnset
    /// The terminfo database has no entry of this name.
    case termUnknown(String)
    /// The terminal cannot place its cursor, so that a screen would be overprinted line by line.
    case termTooSimple(String)
    case noDatabase
    /// ncurses refused a terminal that it knows.
    case refused(String)
}

extension TerminalError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notATerminal(let stream):
            "The screen needs a terminal, and \(stream.rawValue) is not one: "
                + "run without a pipe or a redirection, or ask for --json."
        case .termUnset:
            "TERM is not set, so the kind of terminal is unknown: "
                + "try TERM=xterm-256color, or ask for --json."
        case .termUnknown(let name):
            "This system has no description of the terminal “\(printable(name))” (TERM): "
                + "install it, try TERM=xterm-256color, or ask for --json."
        case .termTooSimple(let name):
            "A “\(printable(name))” terminal (TERM) cannot place its cursor, so it has no screen: "
                + "use another terminal, or ask for --json."
        case .noDatabase:
            "No terminfo database was found: install ncurses-base, "
                + "or say where it is with TERMINFO, or ask for --json."
        case .refused(let name):
            "ncurses cannot drive a “\(printable(name))” terminal (TERM): "
                + "try TERM=xterm-256color, or ask for --json."
        }
    }

    private func printable(_ name: String) -> String {
        String(name.prefix(40).map { $0.isASCII && $0 >= " " && $0 != "\u{7F}" ? $0 : "?" })
    }
}
