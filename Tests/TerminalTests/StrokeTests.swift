import Testing

@testable import Terminal
@testable import UI

@Suite("Strokes of a row")
struct StrokeTests {
    /// The C library's width in a UTF-8 locale.
    private static func width(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        case 0..<32, 0x7F..<0xA0: -1
        case 0x300..<0x370, 0x200B...0x200F, 0x202A...0x202E, 0xFE0F: 0
        case 0x4E00...0x9FFF, 0x1F300...0x1FAFF: 2
        default: 1
        }
    }

    private static func row(
        _ texts: [String],
        width: (Unicode.Scalar) -> Int = width
    ) -> [String] {
        let strokes = Stroke.row(texts.map { Grid.Cell(text: $0) }, width: width)
        return strokes.map { stroke in
            let scalars = ([stroke.character] + stroke.marks).compactMap(Unicode.Scalar.init)
            return "\(stroke.column)" + String(String.UnicodeScalarView(scalars))
        }
    }

    @Test("every cell is put at its column")
    func plain() {
        #expect(Self.row(["a", "─", "b"]) == ["0a", "1─", "2b"])
    }

    @Test("a wide character takes two columns")
    func wide() {
        #expect(Self.row(["漢", "", "b"]) == ["0漢", "2b"])
    }

    @Test("marks stay with their character, four at most")
    func marks() {
        #expect(Self.row(["e\u{301}"]) == ["0e\u{301}"])
        let many = "e" + String(repeating: "\u{301}", count: 9)
        #expect(Self.row([many]) == ["0e" + String(repeating: "\u{301}", count: 4)])
    }

    @Test("a wide character without room is replaced, so that the row does not shift")
    func noRoom() {
        #expect(Self.row(["漢", "b"]) == ["0\u{FFFD}", "1b"])
        #expect(Self.row(["a", "漢"]) == ["0a", "1\u{FFFD}"])
    }

    @Test("a character narrower than its place is filled up")
    func narrower() {
        #expect(Self.row(["❤\u{FE0F}", "", "b"]) == ["0❤\u{FE0F}", "1 ", "2b"])
    }

    @Test(
        "nothing that could steer the terminal passes",
        arguments: ["\u{1B}", "\n", "\u{7F}", "\u{9B}", "\u{202E}", "\u{200B}", "\u{301}"]
    )
    func controls(text: String) {
        #expect(["0?", "0\u{FFFD}"].contains(Self.row([text]).joined()))
    }

    @Test("direction marks and joiners after a character are left out")
    func formats() {
        #expect(Self.row(["a\u{202E}"]) == ["0a"])
        #expect(Self.row(["👩\u{200D}👧", ""]) == ["0👩"])
    }

    @Test("a second half without a first is blank")
    func orphan() {
        #expect(Self.row(["", "b"]) == ["0 ", "1b"])
    }

    @Test("in a locale without the character a question mark stands for it")
    func narrowLocale() {
        let width: (Unicode.Scalar) -> Int = { $0.isASCII ? 1 : -1 }
        #expect(Self.row(["─", "漢", ""], width: width) == ["0?", "1?", "2 "])
    }
}
