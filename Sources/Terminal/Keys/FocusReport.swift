/// Mode 1004 of xterm: the terminal tells when it gets the focus and when it loses it.
package enum FocusReport {
    package static let on = "\u{1B}[?1004h"
    package static let off = "\u{1B}[?1004l"

    /// What terminfo may have a key for; its numbers differ from terminal to terminal.
    static let sequences = ["\u{1B}[I", "\u{1B}[O"]

    /// Whether a terminal that moves its cursor so knows control sequences, and ignores what it has
    /// no use for (ECMA-48).
    static func isUnderstood(cursorAddress: String?) -> Bool {
        cursorAddress?.hasPrefix("\u{1B}[") ?? false
    }

    /// What follows the escape of a report, or `nil` for anything else.
    static func event(_ codes: ArraySlice<Int32>) -> TerminalEvent? {
        switch Array(codes) {
        case [0x5B, 0x49]: .focus(isIn: true)
        case [0x5B, 0x4F]: .focus(isIn: false)
        default: nil
        }
    }
}
