/// A step in a list or a text.
package enum ListMove: Sendable, Hashable {
    case down
    case up
    case halfPageDown
    case halfPageUp
    case pageDown
    case pageUp
    /// To the newest entry, or the top of a text.
    case start
    /// To the oldest entry, or the end of a text.
    case end

    /// In rows, of a page of `height` rows, or `nil` for the two ends.
    package func rows(height: Int) -> Int? {
        switch self {
        case .down: 1
        case .up: -1
        case .halfPageDown: max(1, height / 2)
        case .halfPageUp: -max(1, height / 2)
        case .pageDown: max(1, height - 1)
        case .pageUp: -max(1, height - 1)
        case .start, .end: nil
        }
    }
}
