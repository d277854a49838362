/// The appearance of a style in a terminal.
package struct Appearance: Sendable, Equatable {
    /// The terminal's palette: 0…7 the named colors, 8…15 their bright forms, 16…255 the cube and
    /// the greys, or `nil` for the terminal's own default.
    package var foreground: UInt8?
    package var background: UInt8?
    package var isBold: Bool = false
    package var isDim: Bool = false
    package var isReversed: Bool = false
    package var isUnderlined: Bool = false
}
