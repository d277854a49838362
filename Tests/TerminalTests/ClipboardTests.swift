import Testing

@testable import Terminal

@Suite("The clipboard")
struct ClipboardTests {
    @Test("takes a text in base64, and within tmux a second time for the terminal around it")
    func sequence() {
        let plain = "\u{1B}]52;c;Y3VybA==\u{07}"
        #expect(Clipboard.sequence(for: "curl", inTmux: false) == plain)
        #expect(
            Clipboard.sequence(for: "curl", inTmux: true)
                == plain + "\u{1B}Ptmux;\u{1B}\u{1B}]52;c;Y3VybA==\u{07}\u{1B}\\"
        )
    }
}
