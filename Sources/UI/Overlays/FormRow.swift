/// The parts of a form's rows.
enum FormRow {
    static let cursor = Line(" ", .selected)

    static func name(_ label: String, isFocused: Bool, width: Int) -> Line {
        let mark = isFocused ? Line("▸ ", .focus) : Line("  ")
        return mark + Line(label, isFocused ? .strong : .dim).fitted(to: width)
    }

    /// Of a long text the end is seen, where it is being written.
    static func end(of text: String, room: Int) -> Line {
        text.count > room ? Line("…" + text.suffix(room - 1)) : Line(text)
    }

    /// A secret is as many bullets as it has characters.
    static func bullets(_ count: Int, room: Int) -> Line {
        guard count > room else { return Line(String(repeating: "•", count: count)) }
        let number = CountFormatter.count(count, "character")
        return Line(String(repeating: "•", count: room - number.count - 1) + " " + number)
    }
}
