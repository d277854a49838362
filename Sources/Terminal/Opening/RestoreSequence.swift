/// The bytes that give a terminal back without ncurses, for a process that is about to die.
package enum RestoreSequence {
    /// Own colours, no attributes, plain keypad, visible cursor, the shell's screen.
    package static let capabilities = ["op", "sgr0", "rmkx", "cnorm", "rmcup"]

    /// The pieces in order; a terminal with only one screen gets a fresh line.
    package static func pieces(capability: (String) -> String?) -> [String] {
        let reports = FocusReport.isUnderstood(cursorAddress: capability("cup"))
        let found =
            (reports ? [FocusReport.off] : [])
            + capabilities.compactMap(capability).map(withoutPadding)
        return capability("rmcup") == nil ? found + ["\r\n"] : found
    }

    /// Drops terminfo's delays (`$<5>`, `$<10*/>`), which only old hardware needs.
    package static func withoutPadding(_ text: String) -> String {
        text.replacing(/\$<[0-9.]+[*\/]{0,2}>/, with: "")
    }
}
