/// A time as a person writes it: a number and one of `ms`, `s`, `m`, `h`, `d`.
package enum DurationParser {
    /// `nil` when the text is no such time.
    package static func seconds(in text: String) -> Double? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let number = Double(digits) else { return nil }
        switch text.dropFirst(digits.count) {
        case "ms": return number / 1000
        case "s": return number
        case "m": return number * 60
        case "h": return number * 3600
        case "d": return number * 86_400
        default: return nil
        }
    }
}
