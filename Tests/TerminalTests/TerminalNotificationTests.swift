import Testing

@testable import Terminal

@Suite("Notifications of the terminal")
struct TerminalNotificationTests {
    /// Everything with which a text could end a sequence, begin another one, or hide itself.
    private static let hostile =
        "x\u{07}y\u{1B}\\z\u{1B}]52;c;ZXZpbA==\u{07}\u{9C}\u{9D}9;\u{90}\u{7F}\r\n\u{202E}\u{200B}4;1"

    @Test(
        "are sequences that the terminal understands",
        arguments: [
            (.osc9, "\u{1B}]9;authtop: acme ended\u{07}"),
            (.osc777, "\u{1B}]777;notify;authtop;acme ended\u{07}"),
            (.osc99, "\u{1B}]99;;authtop: acme ended\u{1B}\\"),
            (.bell, "\u{07}"),
        ] as [(TerminalNotification, String)]
    )
    func sequences(way: TerminalNotification, sequence: String) {
        #expect(way.sequence(for: "acme ended", isUTF8: true, inTmux: false) == sequence)
    }

    @Test("are wrapped for the terminal around tmux, which rings by itself")
    func tmux() {
        let wrapped = TerminalNotification.osc99.sequence(for: "a", isUTF8: true, inTmux: true)
        #expect(
            wrapped == "\u{1B}Ptmux;\u{1B}\u{1B}]99;;authtop: a\u{1B}\u{1B}\\\u{1B}\\"
        )
        let bell = TerminalNotification.bell.sequence(for: "a", isUTF8: true, inTmux: true)
        #expect(bell == "\u{07}")
    }

    @Test(
        "have nothing in them that ends the sequence or begins another one, and are bounded",
        arguments: TerminalNotification.allCases.filter { $0 != .bell },
        [true, false]
    )
    func hostileText(way: TerminalNotification, isUTF8: Bool) {
        let long = Self.hostile + String(repeating: "—", count: 10_000)
        let empty = way.sequence(for: "", isUTF8: isUTF8, inTmux: false)
        let sequence = way.sequence(for: long, isUTF8: isUTF8, inTmux: false)
        func controls(_ text: String) -> [Unicode.Scalar] {
            text.unicodeScalars.filter {
                $0 == ";" || $0.properties.generalCategory == .control
                    || $0.properties.generalCategory == .format
            }
        }
        #expect(controls(sequence) == controls(empty))
        #expect(sequence.unicodeScalars.count - empty.unicodeScalars.count <= 200)
        #expect(isUTF8 || sequence.utf8.allSatisfy { $0 < 0x80 })
    }

    @Test(
        "are those of the terminal that the environment names",
        arguments: [
            (["TERM": "xterm-kitty"], .osc99), (["TERM": "foot"], .osc777),
            (["TERM": "rxvt-unicode-256color"], .osc777),
            (["TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"], .osc9),
            (["TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"], .osc9),
            (["TERM": "xterm-ghostty", "TERM_PROGRAM": "ghostty"], .osc9),
            (["TERM": "xterm-256color", "WT_SESSION": "1"], .osc9),
            (["TERM": "tmux-256color", "TERM_PROGRAM": "tmux", "KITTY_WINDOW_ID": "1"], .osc99),
            (["TERM": "xterm-256color", "TERM_PROGRAM": "vscode", "WT_SESSION": "1"], nil),
            (["TERM": "xterm-256color"], nil), (["TERM": "screen", "WT_SESSION": ""], nil),
            ([:], nil),
        ] as [([String: String], TerminalNotification?)]
    )
    func environment(variables: [String: String], way: TerminalNotification?) {
        #expect(TerminalNotification(of: variables) == way)
    }
}
