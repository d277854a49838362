import Terminal
import Testing

@Suite("Clipboard by OSC 52")
struct ClipboardTests {
    @Test("the text travels as base64, so that none of it reaches the terminal as such")
    func encoded() {
        #expect(Clipboard.sequence("curl \u{1B}é") == "\u{1B}]52;c;Y3VybCAbw6k=\u{07}")
    }

    @Test("a text too long for terminals is refused rather than cut")
    func limit() {
        let most = String(repeating: "x", count: Clipboard.limit)
        #expect(Clipboard.sequence(most) != nil)
        #expect(Clipboard.sequence(most + "x") == nil)
    }
}
