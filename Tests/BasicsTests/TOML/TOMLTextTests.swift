import Testing

@testable import Basics

@Suite("A text that is written as TOML")
struct TOMLTextTests {
    @Test(
        "is read as it was",
        arguments: [
            "", "plain", "a \"quotation\" and a \\", "two\nlines\r\n", "\ttab",
            "\u{0}\u{7F}\u{1B}[2J",
            "\u{202E}right to left", "\u{FEFF}", "\u{E0001}\u{1F600}", "e\u{301}\"\u{301}",
            "‹35fa4883›",
        ]
    )
    func roundTrip(text: String) throws {
        let line = "\(TOMLText.key(text)) = \(TOMLText.quoted(text))"
        #expect(!line.unicodeScalars.contains("\n"))
        let item = try TOMLReader.read(line, file: "a.toml")
        guard case .table(let members) = item.value, let member = members.values.first,
            case .string(let value) = member.value, let key = members.keys.first
        else {
            Issue.record("\(item.value)")
            return
        }
        #expect(Array(value.utf8) == Array(text.utf8))
        #expect(Array(key.utf8) == Array(text.utf8))
    }
}
