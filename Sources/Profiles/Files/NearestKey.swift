import Basics

/// Finds the known word that an unknown one was probably meant to be.
package enum NearestKey {
    /// The number of words that are listed where none is near.
    private static let listLimit = 12

    /// Returns the word with the smallest edit distance, the first in alphabetical order if there
    /// are several, or `nil` if it takes more changes than a typing mistake explains.
    ///
    /// A word that another one begins with, up to `_` or `-`, is near, too.
    package static func of(_ word: String, among known: [String]) -> String? {
        let letters = Array(word.asciiLowercased.unicodeScalars.prefix(64))
        let slip = max(1, min(2, letters.count / 3))
        let near = known.sorted().map { ($0, distance(letters, Array($0.unicodeScalars))) }
            .filter { $0.1 <= slip }
            .min { $0.1 < $1.1 }
        return near?.0
            ?? known.sorted().first { isBeginning($0, of: word) || isBeginning(word, of: $0) }
    }

    /// Returns a hint for an unknown word: the near one, or all if there are few, or else `nil`.
    static func hint(_ word: String, among known: [String], _ kind: String = "known") -> String? {
        if let near = of(word, among: known) { return "the nearest \(kind) one is \(near)" }
        guard !known.isEmpty, known.count <= listLimit else { return nil }
        return "expected one of \(known.joined(separator: ", "))"
    }

    private static func isBeginning(_ start: String, of word: String) -> Bool {
        guard start.utf8.count > 2, let rest = word.part(after: start) else { return false }
        return rest.begins(with: "_") || rest.begins(with: "-")
    }

    /// Returns how many characters must be changed, added, removed or swapped with the next one
    /// (optimal string alignment).
    private static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
        var beforeLast: [Int] = []
        var previous = Array(0...b.count)
        for (row, left) in a.enumerated() {
            var current = [row + 1]
            for (column, right) in b.enumerated() {
                var change = previous[column] + (left == right ? 0 : 1)
                if row > 0, column > 0, left == b[column - 1], right == a[row - 1] {
                    change = min(change, beforeLast[column - 1] + 1)
                }
                current.append(min(change, previous[column + 1] + 1, current[column] + 1))
            }
            (beforeLast, previous) = (previous, current)
        }
        return previous.last ?? 0
    }
}
