import Basics

/// Text for a terminal that is written to line by line: nothing in it steers the terminal, and
/// nothing is lost without a sign.
extension String {
    /// With the signs that the screen has for what cannot be seen; line breaks and tabs stay.
    package var visible: String { visible(keeping: ["\n", "\t"]) }

    /// The same in one line.
    package var visibleInOneLine: String { visible(keeping: []) }

    private func visible(keeping kept: Set<Unicode.Scalar>) -> String {
        // Nearly every text is plain ASCII.
        let isPlain = utf8.allSatisfy { byte in
            (0x20...0x7E).contains(byte) || kept.contains(Unicode.Scalar(byte))
        }
        guard !isPlain,
            unicodeScalars.contains(where: { $0.isUnseen && !kept.contains($0) })
        else { return self }
        var result = ""
        for scalar in unicodeScalars {
            if scalar.isUnseen, !kept.contains(scalar) {
                result += Glyph.signs(for: scalar)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
