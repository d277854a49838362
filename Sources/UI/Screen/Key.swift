/// A key press, as a terminal reports it.
package enum Key: Sendable, Hashable {
    case character(Character)
    case control(Character)
    case enter
    case escape
    case tab
    case shiftTab
    case backspace
    case delete
    case up
    case down
    case left
    case right
    case pageUp
    case pageDown
    case home
    case end
    /// One of `functions`.
    case function(Int)

    /// The numbers of the function keys that terminals report without a modifier.
    package static let functions = 1...12
}

extension Key: ExpressibleByExtendedGraphemeClusterLiteral {
    package init(extendedGraphemeClusterLiteral value: Character) {
        self = .character(value)
    }
}
