import Basics

/// Text for a terminal that is written to line by line: nothing in it steers the terminal, and
/// nothing is lost without a sign.
extension String {
    /// With the signs that the screen has for what cannot be seen; line breaks and tabs stay.
    package var visible: String { visible(keeping: ["\n", "\t"]) }

    /// The same in one line.
    package var visibleInOneLine: String { visible(keeping: []) }

    private func visible(keeping kept: [Unicode.Scalar]) -> String {
        // Nearly every line of JSON is such a text, but for the marks around fingerprints.
        var rest = utf8[...]
        while let place = rest.firstIndex(where: { !(0x20...0x7E).contains($0) }) {
            let scalar = unicodeScalars[place]
            guard !scalar.isUnseen || kept.contains(scalar) else { return replacing(kept) }
            rest = utf8[unicodeScalars.index(after: place)...]
        }
        return self
    }

    /// The text with signs in place of what cannot be seen and is not kept.
    private func replacing(_ kept: [Unicode.Scalar]) -> String {
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
