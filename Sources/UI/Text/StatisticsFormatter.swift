/// The formats of counts and their kinds.
enum StatisticsFormatter {
    static let dot = Line(" · ", .dim)

    /// The meaning of the names in the list that are not clear by themselves.
    static let legend = [
        (name: "lead left", meaning: "life of the old access token as the new one came"),
        (name: "no token", meaning: "past its last usable instant, none newer there yet"),
    ]

    /// `timer ×5`; nothing for 0.
    static func times(_ text: String, _ count: Int, _ style: Style = .plain) -> Line {
        count > 0 ? Line("\(text) ×\(CountFormatter.grouped(count))", style) : Line()
    }

    static func list(_ parts: [Line]) -> Line {
        let line = parts.joined(by: dot)
        return line.isEmpty ? Line("none", .dim) : line
    }

    /// `6.20 s`, and `−0.3 s` where the renewal came too late.
    static func lead(_ seconds: Double) -> String {
        seconds > 0 ? DurationFormatter.fine(seconds) : DurationFormatter.signed(seconds)
    }
}
