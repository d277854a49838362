import Basics

/// `0.25 s`, `5 s`, `15 m`, `12 h 19 m`: as everywhere, and below a minute as exact as it needs
/// to be.
package enum ElapsedFormatter {
    package static func text(_ seconds: Double) -> String {
        seconds < 60 ? "\(trimmed(seconds)) s" : DurationText.text(seconds)
    }

    private static func trimmed(_ value: Double) -> String {
        let rounded = (value * 100).rounded() / 100
        return rounded == rounded.rounded() ? String(Int64(rounded)) : String(rounded)
    }
}
