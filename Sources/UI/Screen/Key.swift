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
    case function(Int)
}

extension Key: ExpressibleByExtendedGraphemeClusterLiteral {
    package init(extendedGraphemeClusterLiteral value: Character) {
        self = .character(value)
    }
}
