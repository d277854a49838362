import Tokens

/// The known word that an unknown one was probably meant to be.
package enum NearestKey {
    /// The fewest letters to change win, then the alphabet, or `nil` if there are no known words.
    package static func of(_ word: String, among known: [String]) -> String? {
        let word = Array(word.lowercased().unicodeScalars.prefix(64))
        return known.sorted().min { left, right in
            distance(word, Array(left.unicodeScalars)) < distance(word, Array(right.unicodeScalars))
        }
    }

    /// How many letters must be changed, added or removed (Levenshtein).
    private static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
        var previous = Array(0...b.count)
        for (row, left) in a.enumerated() {
            var current = [row + 1]
            for (column, right) in b.enumerated() {
                let change = previous[column] + (left == right ? 0 : 1)
                current.append(min(change, previous[column + 1] + 1, current[column] + 1))
            }
            previous = current
        }
        return previous.last ?? 0
    }
}

extension StringProtocol {
    /// Fit for one line of a terminal: what steers it, or cannot be seen, becomes a space, and text
    /// beyond the limit an ellipsis.
    package func inOneLine(limit: Int) -> String {
        // Only as much is looked at as can end up in the line.
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
