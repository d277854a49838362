import Tokens

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
