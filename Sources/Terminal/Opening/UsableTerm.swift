internal import CNcurses
internal import Glibc

extension TerminalScreen {
    /// Makes characters mean what the person's locale says.
    ///
    /// - Returns: Whether that is UTF-8.
    static func adoptLocale(_ environment: [String: String]) -> Bool {
        _ = localeNames(in: environment).first { cn_set_character_locale($0) != 0 }
        return cn_locale_is_utf8() != 0
    }

    /// The name of a terminal that can be a screen; nothing was written to it yet.
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
