extension Grid {
    /// The characters, a row a line, without blanks at the ends of rows.
    package var text: String {
        lines { $0.text }.joined(separator: "\n")
    }

    private func lines(_ body: (Cell) -> String) -> [String] {
        (0..<rows).map { row in
            var line = (0..<columns).reduce(into: "") { $0 += body(self[$1, row]) }
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}
