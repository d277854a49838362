/// Numbers with their nouns.
package enum CountFormatter {
    /// `1 request`, `2 requests`; `plural` where an `s` does not make it.
    package static func count(_ number: Int, _ noun: String, plural: String? = nil) -> String {
        number == 1 ? "1 \(noun)" : "\(grouped(number)) \(plural ?? noun + "s")"
    }

    /// `1 time`, `2 times`.
    package static func times(_ number: Int) -> String {
        count(number, "time")
    }

    /// `12 345`.
    package static func grouped(_ number: Int) -> String {
        let digits = String(abs(number))
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(" ") }
            text.append(digit)
        }
        return number < 0 ? "−\(text)" : text
    }

    /// `212 bytes`, `4.0 KiB`.
    package static func bytes(_ count: Int) -> String {
        if count < 1_024 { return Self.count(count, "byte") }
        let size = Double(count) / 1_024
        if size < 1_023.95 { return "\(DurationFormatter.decimal(size, places: 1)) KiB" }
        return "\(DurationFormatter.decimal(size / 1_024, places: 1)) MiB"
    }
}
