import Testing

@testable import Terminal

@Suite("Giving a terminal back without ncurses")
struct RestoreSequenceTests {
    @Test("the shell's screen comes last, so that nothing of ours touches it")
    func order() {
        let pieces = RestoreSequence.pieces { "<\($0)>" }
        #expect(pieces.joined() == "<op><sgr0><rmkx><cnorm><rmcup>")
    }

    @Test("what has ECMA-48's sequences leaves the modes that were set, first of all")
    func modes() {
        let pieces = RestoreSequence.pieces { $0 == "cup" ? "\u{1B}[%i%p1%d;%p2%dH" : "<\($0)>" }
        #expect(
            pieces.prefix(4) == [
                "\u{1B}[?2026l", "\u{1B}[?1004l", "\u{1B}[?2004l", "\u{1B}[?1006l\u{1B}[?1000l",
            ]
        )
        #expect(RestoreSequence.pieces { _ in "\u{1B}=" }.first == "\u{1B}=")
    }

    @Test("a terminal with one screen gets a fresh line")
    func oneScreen() {
        let pieces = RestoreSequence.pieces { $0 == "sgr0" ? "\u{1B}[m" : nil }
        #expect(pieces == ["\u{1B}[m", "\r\n"])
    }

    @Test(
        "delays are no output",
        arguments: [
            ("\u{1B}[m\u{0F}$<2>", "\u{1B}[m\u{0F}"), ("a$<5*/>b$<1.5>", "ab"), ("$<", "$<"),
        ]
    )
    func padding(text: String, expected: String) {
        #expect(RestoreSequence.withoutPadding(text) == expected)
    }
}
