import Terminal
import Testing

@Suite("No screen here: the words")
struct TerminalErrorTests {
    @Test(
        "every reason says what to do",
        arguments: [
            TerminalError.notATerminal(.input), .notATerminal(.output), .termUnset,
            .termUnknown("foo"), .termTooSimple("dumb"), .noDatabase, .refused("foo"),
        ]
    )
    func advice(error: TerminalError) {
        #expect(error.description.hasSuffix("use --json."))
    }

    @Test("TERM cannot steer the terminal that shows its name")
    func escapes() {
        let message = TerminalError.termUnknown("x\u{1B}[2J").description
        #expect(!message.contains("\u{1B}"))
        #expect(message.contains("“x?[2J”"))
    }
}
