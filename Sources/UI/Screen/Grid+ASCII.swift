extension Grid {
    /// The same screen for a terminal that has no other characters: cell by cell, so that nothing
    /// moves.
    ///
    /// Symbols that mean different things stay different; text beyond ASCII becomes `?`.
    package var inASCII: Grid {
        mapCells { cell in
            var cell = cell
            if cell.text.isEmpty {
                cell.text = "?"
            } else if cell.text.utf8.count > 1 {
                cell.text = Self.asciiForms[cell.text] ?? "?"
            }
            return cell
        }
    }

    /// A letter for each symbol; no two states, no two marks and no two parts of a bar share one.
    static let asciiForms: [String: String] = [
        // Lines.
        "╭": "+", "╮": "+", "╰": "+", "╯": "+", "├": "+", "┤": "+", "─": "-", "│": "|", "└": "+",
        "┆": ":",
        // Bars.
        "█": "#", "░": "-", "┃": "^",
        // Lifelines.
        "━": "=", "┄": "-", "╌": "~", "┼": "#", "╋": "#", "▲": "^",
        // States.
        "●": "*", "◐": "R", "◑": "T", "◒": "U", "◔": "B", "◇": "F", "▼": "v", "○": "o", "◌": "i",
        "◎": "e", "⋯": "c",
        // Marks.
        "⚠": "!", "✗": "X", "‖": "=", "▸": ">",
        // Punctuation.
        "…": "$", "·": ".", "–": "-", "‹": "<", "›": ">", "×": "x", "−": "-", "±": "~", "≈": "~",
        "≥": ">", "≤": "<", "→": ">",
        "’": "'",
    ]
}
