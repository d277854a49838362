import Basics
import Testing

@Suite("Secret")
struct SecretTests {
    private static let text = "hunter2-hunter2-hunter2"

    @Test(
        "its text is in nothing that prints it",
        arguments: [
            String(describing: Secret(text)),
            String(reflecting: Secret(text)),
            "\(Secret(text))",
            dumped(Secret(text)),
            dumped(Mirror(reflecting: Secret(text)).children.map(\.value)),
            dumped(AccessToken(Secret(text))),
            dumped(RefreshToken(Secret(text))),
            String(
                reflecting: TokenPair(
                    access: AccessToken(Secret(text)),
                    refresh: RefreshToken(Secret(text))
                )
            ),
        ]
    )
    func isNeverPrinted(printed: String) {
        #expect(!printed.contains("hunter2"))
    }

    @Test("its mirror has no children")
    func mirrorIsEmpty() {
        #expect(Mirror(reflecting: Secret(Self.text)).children.isEmpty)
    }

    @Test("reveals its text on request")
    func reveals() {
        #expect(Secret(Self.text).reveal() == Self.text)
    }

    @Test("two of the same text are equal and hash alike")
    func equality() {
        #expect(Secret("a") == Secret("a"))
        #expect(Secret("a").hashValue == Secret("a").hashValue)
        #expect(Secret("a") != Secret("b"))
        #expect(Secret("a") != Secret("aa"))
        #expect(Secret("") == Secret(""))
    }

    @Test("its size is counted in UTF-8 bytes", arguments: [("", 0), ("abc", 3), ("ü€", 5)])
    func byteCount(text: String, count: Int) {
        #expect(Secret(text).byteCount == count)
        #expect(Secret(text).isEmpty == (count == 0))
    }
}

private func dumped(_ value: some Any) -> String {
    var text = ""
    dump(value, to: &text)
    return text
}
