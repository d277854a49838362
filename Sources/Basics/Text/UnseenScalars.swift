extension Unicode.Scalar {
    /// Whether the scalar controls a terminal, changes the direction of text, or is invisible.
    package var isUnseen: Bool {
        switch value {
        case 0x20...0x7E, 0xA1...0xAC, 0xAE...0x2FF: false
        default:
            switch properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
                .unassigned:
                true
            default: false
            }
        }
    }
}

extension StringProtocol {
    /// Returns the text on one line, with control and invisible characters replaced by spaces and
    /// an ellipsis beyond the limit.
    package func inOneLine(limit: Int) -> String {
        // A text with a byte per character needs no look at its characters.
        if utf8.count <= limit, utf8.allSatisfy({ (0x20...0x7E).contains($0) }) {
            return String(self)
        }
        // No more than what can become part of the line.
        let start = prefix(limit * 10)
        let line = String(start.map { $0.isFitForOneLine ? $0 : " " })
        guard line.count > limit else { return line }
        return line.prefix(limit - 1) + "…"
    }
}

extension Character {
    fileprivate var isFitForOneLine: Bool {
        unicodeScalars.allSatisfy { !$0.isUnseen }
    }
}
