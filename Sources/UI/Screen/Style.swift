/// The meaning of a cell; a theme defines its appearance.
///
/// The raw value is the letter by which the screen tests write it.
package enum Style: Character, Sendable, Hashable, CaseIterable {
    case plain = "."
    /// Secondary text: labels, units, what has ended.
    case dim = "d"
    /// The most prominent text.
    case strong = "s"
    case border = "b"
    /// The border and title of the pane that has the focus.
    case focus = "f"
    case title = "t"
    /// Alive, as it should be.
    case good = "G"
    /// In progress.
    case busy = "Y"
    case warning = "W"
    case bad = "B"
    /// Fingerprints and generations: what identifies.
    case identity = "i"
    /// A key in the hint line.
    case key = "k"
    /// The line under the cursor.
    case selected = "S"
    case header = "h"
    case headerGood = "1"
    case headerBusy = "2"
    case headerWarning = "3"
    case headerBad = "4"
}
