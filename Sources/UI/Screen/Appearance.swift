/// How a style looks in a terminal.
package struct Appearance: Sendable, Equatable {
    /// The terminal's palette: 0…7 the named colors, 8…15 their bright forms, 16…255 the cube and
    /// the greys, or `nil` for the terminal's own default.
    package var foreground: UInt8?
    package var background: UInt8?
    package var isBold: Bool
    package var isDim: Bool
    package var isReversed: Bool
    package var isUnderlined: Bool

    package init(
        foreground: UInt8? = nil,
        background: UInt8? = nil,
        isBold: Bool = false,
        isDim: Bool = false,
        isReversed: Bool = false,
        isUnderlined: Bool = false
    ) {
        self.foreground = foreground
        self.background = background
        self.isBold = isBold
        self.isDim = isDim
        self.isReversed = isReversed
        self.isUnderlined = isUnderlined
    }
}
