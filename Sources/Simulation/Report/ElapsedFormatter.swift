/// `5 s`, `15 min`, `7 d`: one unit, as exact as it needs to be.
enum ElapsedFormatter {
    static func text(_ seconds: Double) -> String {
        let units = [(86_400.0, "d"), (3_600, "h"), (60, "min")]
        for (size, name) in units where seconds >= size {
            return "\(trimmed(seconds / size)) \(name)"
        }
        return "\(trimmed(seconds)) s"
    }

    private static func trimmed(_ value: Double) -> String {
        let rounded = (value * 100).rounded() / 100
        return rounded == rounded.rounded() ? String(Int64(rounded)) : String(rounded)
    }
}
