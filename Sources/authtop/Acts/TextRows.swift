/// Lines of a label and what it says, the second column aligned.
struct TextRows {
    static let labelWidth = 11

    private(set) var lines: [String] = []

    /// Adds a line; without a label it goes on with the one before.
    mutating func add(_ label: String, _ text: String) {
        lines.append("  \(label.padded(to: Self.labelWidth)) \(text)")
    }
}
