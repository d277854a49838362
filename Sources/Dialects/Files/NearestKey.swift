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
