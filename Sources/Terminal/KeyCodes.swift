internal import CNcurses
import UI

/// The keys that have an ncurses key code.
enum KeyCodes {
    /// Returns the key, or `nil` if the program has no name for it, as for KEY_RESIZE.
    static func key(of code: Int32) -> Key? {
        switch code {
        case KEY_UP: .up
        case KEY_DOWN: .down
        case KEY_LEFT: .left
        case KEY_RIGHT: .right
        case KEY_PPAGE, KEY_A3: .pageUp
        case KEY_NPAGE, KEY_C3: .pageDown
        case KEY_HOME, KEY_A1, KEY_FIND: .home
        case KEY_END, KEY_C1, KEY_SELECT: .end
        case KEY_DC: .delete
        case KEY_BACKSPACE: .backspace
        case KEY_ENTER: .enter
        case KEY_BTAB: .shiftTab
        case _ where Key.functions.contains(Int(code - KEY_F0)): .function(Int(code - KEY_F0))
        default: nil
        }
    }

    /// The sequences that terminals send for these keys in addition to those in terminfo.
    static let commonSequences: [(sequence: String, code: Int32)] = [
        ("\u{1B}[A", KEY_UP), ("\u{1B}OA", KEY_UP),
        ("\u{1B}[B", KEY_DOWN), ("\u{1B}OB", KEY_DOWN),
        ("\u{1B}[C", KEY_RIGHT), ("\u{1B}OC", KEY_RIGHT),
        ("\u{1B}[D", KEY_LEFT), ("\u{1B}OD", KEY_LEFT),
        ("\u{1B}[H", KEY_HOME), ("\u{1B}OH", KEY_HOME),
        ("\u{1B}[1~", KEY_HOME), ("\u{1B}[7~", KEY_HOME),
        ("\u{1B}[F", KEY_END), ("\u{1B}OF", KEY_END),
        ("\u{1B}[4~", KEY_END), ("\u{1B}[8~", KEY_END),
        ("\u{1B}[3~", KEY_DC), ("\u{1B}[5~", KEY_PPAGE), ("\u{1B}[6~", KEY_NPAGE),
        ("\u{1B}[Z", KEY_BTAB), ("\u{1B}OM", KEY_ENTER),
        ("\u{1B}OP", KEY_F0 + 1), ("\u{1B}[11~", KEY_F0 + 1), ("\u{1B}[[A", KEY_F0 + 1),
        ("\u{1B}OQ", KEY_F0 + 2), ("\u{1B}[12~", KEY_F0 + 2), ("\u{1B}[[B", KEY_F0 + 2),
        ("\u{1B}OR", KEY_F0 + 3), ("\u{1B}[13~", KEY_F0 + 3), ("\u{1B}[[C", KEY_F0 + 3),
        ("\u{1B}OS", KEY_F0 + 4), ("\u{1B}[14~", KEY_F0 + 4), ("\u{1B}[[D", KEY_F0 + 4),
        ("\u{1B}[15~", KEY_F0 + 5), ("\u{1B}[[E", KEY_F0 + 5),
        ("\u{1B}[17~", KEY_F0 + 6), ("\u{1B}[18~", KEY_F0 + 7), ("\u{1B}[19~", KEY_F0 + 8),
        ("\u{1B}[20~", KEY_F0 + 9), ("\u{1B}[21~", KEY_F0 + 10),
        ("\u{1B}[23~", KEY_F0 + 11), ("\u{1B}[24~", KEY_F0 + 12),
    ]
}

/// Mode 2004 of xterm: the terminal marks what is pasted, so that it is not read as keys.
enum BracketedPaste {
    static let on = "\u{1B}[?2004h"
    static let off = "\u{1B}[?2004l"

    /// The marks before and after a pasted text; terminfo may have keys for them.
    static let sequences = ["\u{1B}[200~", "\u{1B}[201~"]

    /// The sequence after the escape of the mark before a pasted text.
    static let start: [Int32] = [0x5B, 0x32, 0x30, 0x30, 0x7E]
    /// The mark after it.
    static let end: [Int32] = [27, 0x5B, 0x32, 0x30, 0x31, 0x7E]
}

/// The mouse reports of xterm's modes 1000 (buttons and wheel) and 1006 (their form).
enum MouseReport {
    static let on = "\u{1B}[?1000h\u{1B}[?1006h"
    static let off = "\u{1B}[?1006l\u{1B}[?1000l"

    /// The beginnings of a report; terminfo may have a key code for them.
    static let sequences = ["\u{1B}[<", "\u{1B}[M"]

    /// Returns the event for the codes after the escape, such as `[<0;12;3M`, or `nil` if they are
    /// not a click of the first button or a turn of the wheel.
    static func event(_ codes: ArraySlice<Int32>) -> TerminalEvent? {
        let text = String(String.UnicodeScalarView(codes.compactMap { Unicode.Scalar(UInt32($0)) }))
        guard text.hasPrefix("[<"), text.hasSuffix("M") else { return nil }
        let numbers = text.dropFirst(2).dropLast()
            .split(separator: ";", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 3, let button = numbers[0], let column = numbers[1],
            let row = numbers[2], column > 0, row > 0
        else { return nil }
        let event: MouseEvent.Kind? =
            switch button {
            case 0: .click
            case 64: .wheelUp
            case 65: .wheelDown
            default: nil
            }
        return event.map { .mouse(MouseEvent($0, column: column - 1, row: row - 1)) }
    }
}

/// The focus reports of xterm's mode 1004.
enum FocusReport {
    static let on = "\u{1B}[?1004h"
    static let off = "\u{1B}[?1004l"

    /// The sequences; terminfo may have key codes for them, which differ between terminals.
    static let sequences = ["\u{1B}[I", "\u{1B}[O"]

    /// Returns whether a terminal with this cursor addressing supports control sequences, so that
    /// it ignores unknown ones (ECMA-48).
    static func isUnderstood(cursorAddress: String?) -> Bool {
        cursorAddress?.hasPrefix("\u{1B}[") ?? false
    }

    /// Returns the event for the codes after the escape, or `nil` if they are not a focus report.
    static func event(_ codes: ArraySlice<Int32>) -> TerminalEvent? {
        switch Array(codes) {
        case [0x5B, 0x49]: .focus(isIn: true)
        case [0x5B, 0x4F]: .focus(isIn: false)
        default: nil
        }
    }
}
