/// Lines of a label and what it says, the second column aligned, for 80 columns.
struct TextRows {
    static let labelWidth = 11
    static let textWidth = 66

    private(set) var lines: [String] = []

    /// Adds a line, or more where the words need them; without a label it goes on with the one
    /// before.
    mutating func add(_ label: String, _ text: String) {
        var label = label
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > Self.textWidth {
                append(label, line)
                label = ""
                line = ""
            }
            line += line.isEmpty ? String(word) : " \(word)"
        }
        append(label, line)
    }

    private mutating func append(_ label: String, _ text: String) {
        lines.append("  \(label.padded(to: Self.labelWidth)) \(text)")
    }
}
