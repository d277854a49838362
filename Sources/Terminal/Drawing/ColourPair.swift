/// Two palette numbers; `nil` is the terminal's own default.
package struct ColourPair: Sendable, Hashable {
    package var foreground: UInt8?
    package var background: UInt8?

    package init(foreground: UInt8? = nil, background: UInt8? = nil) {
        self.foreground = foreground
        self.background = background
    }
}
