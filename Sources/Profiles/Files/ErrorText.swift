import Basics

/// Finds the known word that an unknown one was probably meant to be.
package enum NearestKey {
    /// Returns the word with the smallest edit distance, the first in alphabetical order if there
    /// are several, or `nil` if there are no known words.
    package static func of(_ word: String, among known: [String]) -> String? {
        let word = Array(word.asciiLowercased.unicodeScalars.prefix(64))
        return known.sorted().min { left, right in
            distance(word, Array(left.unicodeScalars)) < distance(word, Array(right.unicodeScalars))
        }
    }

    /// Returns the nearest key, or `nil` if it takes more changes than a typing mistake explains.
    package static func close(to word: String, among known: [String]) -> String? {
        guard let nearest = of(word, among: known) else { return nil }
        let slip = max(1, min(2, word.unicodeScalars.count / 3))
        let letters = Array(word.asciiLowercased.unicodeScalars.prefix(64))
        return distance(letters, Array(nearest.unicodeScalars)) <= slip ? nearest : nil
    }

    /// Returns how many characters must be changed, added or removed (Levenshtein distance).
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
