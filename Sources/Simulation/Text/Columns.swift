/// Text in columns of a fixed width.
package enum Columns {
    package static func left(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// No wider than that.
    static func cut(_ text: String, _ width: Int) -> String {
        text.count > width ? text.prefix(width - 1) + "…" : text
    }

    package static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}

/// `1 234 567`.
package enum NumberText {
    package static func text(_ number: Int) -> String {
        guard number >= 10_000 else { return String(number) }
        var text = ""
        for (index, digit) in String(number).reversed().enumerated() {
            if index > 0, index % 3 == 0 { text.append(" ") }
            text.append(digit)
        }
        return String(text.reversed())
    }
}
