import Testing
import UI

@Suite("Text: counts")
struct CountFormatterTests {
    @Test(
        "numbers with their nouns",
        arguments: [(0, "0 requests"), (1, "1 request"), (12_345, "12 345 requests")]
    )
    func count(number: Int, message: String) {
        #expect(CountFormatter.count(number, "request") == message)
    }

    @Test(
        "sizes",
        arguments: [
            (0, "0 bytes"), (1, "1 byte"), (212, "212 bytes"), (1_023, "1 023 bytes"),
            (1_024, "1.0 KiB"), (4_096, "4.0 KiB"), (1_048_575, "1.0 MiB"),
            (1_048_576, "1.0 MiB"),
        ]
    )
    func bytes(number: Int, message: String) {
        #expect(CountFormatter.bytes(number) == message)
    }
}
