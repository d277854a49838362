package import FoundationEssentials

extension Date {
    /// The time in UTC by ISO 8601, with milliseconds: `2026-11-30T23:04:05.678Z`.
    ///
    /// The same as by `ISO8601FormatStyle` for the years 1 to 9999, to which it is clamped, at a
    /// third of the cost: a run of many sessions writes thousands of times a second.
    package var iso8601: String {
        let time = CivilTime(secondsSince1970: timeIntervalSince1970)
        let seconds = timeIntervalSinceReferenceDate
        let fraction = seconds - seconds.rounded(.down)
        let milliseconds = fraction.isFinite ? Int(fraction * 1_000_000_000) / 1_000_000 : 0
        return String(unsafeUninitializedCapacity: 24) { text in
            var end = 0
            func write(_ number: Int, _ width: Int, _ behind: Unicode.Scalar) {
                var rest = number
                for place in (end..<(end + width)).reversed() {
                    text.initializeElement(at: place, to: UInt8(ascii: "0") + UInt8(rest % 10))
                    rest /= 10
                }
                text.initializeElement(at: end + width, to: UInt8(ascii: behind))
                end += width + 1
            }
            write(time.year, 4, "-")
            write(time.month, 2, "-")
            write(time.day, 2, "T")
            write(time.hour, 2, ":")
            write(time.minute, 2, ":")
            write(time.second, 2, ".")
            write(milliseconds, 3, "Z")
            return end
        }
    }
}
