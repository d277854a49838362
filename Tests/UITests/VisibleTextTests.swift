import Testing

@testable import UI

@Suite("Visible text")
struct VisibleTextTests {
    @Test(
        "shows what steers a terminal as the screen does",
        arguments: [
            ("plain é中😀", "plain é中😀"), ("a\nb\tc", "a\nb\tc"),
            ("\u{1B}]0;x\u{7}", "␛]0;x␇"), ("\u{9B}31m", "␛[31m"), ("\u{7F}", "␡"),
            ("user\u{202E}gpj.exe", "user�gpj.exe"), ("\u{FEFF}a\u{2066}b\u{2069}", "�a�b�"),
            ("a\r\nb", "a␍\nb"), ("\u{85}\u{2028}", "␛E�"),
        ]
    )
    func shown(text: String, expected: String) {
        #expect(text.visible == expected)
    }

    @Test("is one line where it has to be")
    func line() {
        #expect("a\nb\tc\r\n".visibleInOneLine == "a␊b␉c␍␊")
    }
}
