/// The appearance of a style in a terminal.
package struct Appearance: Sendable, Equatable {
    /// `nil` for the terminal's own default.
    package var foreground: Color?
    package var background: Color?
    package var isBold: Bool = false
    package var isDim: Bool = false
    package var isReversed: Bool = false
    package var isUnderlined: Bool = false
}
