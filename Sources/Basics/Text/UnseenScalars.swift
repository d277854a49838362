extension Unicode.Scalar {
    /// Whether the scalar controls a terminal, changes the direction of text, or is invisible.
    package var isUnseen: Bool {
        switch value {
        case 0x20...0x7E, 0xA1...0xAC, 0xAE...0x2FF: false
        // Marks, such as those around fingerprints.
        case 0x2010...0x2027, 0x2030...0x205E: false
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
        // A text of visible scalars, no more bytes than the limit, has no more characters either.
        if utf8.count <= limit, isPrintableASCII || unicodeScalars.allSatisfy({ !$0.isUnseen }) {
            return String(self)
        }
        // No more than what can become part of the line.
        let start = prefix(limit * 10)
        let line = String(start.map { $0.isFitForOneLine ? $0 : " " })
        guard line.count > limit else { return line }
        return line.prefix(limit - 1) + "…"
    }

    /// Whether it consists of visible ASCII characters and spaces, by its bytes; `false` if those are not
    /// at hand.
    private var isPrintableASCII: Bool {
        utf8.withContiguousStorageIfAvailable { bytes in
            bytes.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
        } ?? false
    }
}

extension Character {
    fileprivate var isFitForOneLine: Bool {
        unicodeScalars.allSatisfy { !$0.isUnseen }
    }
}
