import Testing

@testable import UI

@Suite("Glyphs: harmless text and its width")
struct GlyphTests {
    @Test(
        "what could steer a terminal is shown",
        arguments: [
            ("\u{1B}[2J", "␛[2J"), ("a\u{0}b", "a␀b"), ("tab\t", "tab␉"), ("x\r\ny", "x␍␊y"),
            ("\u{7F}", "␡"), ("\u{9B}31m", "␛[31m"), ("\u{85}", "␛E"), ("\u{90}", "␛P"),
            ("\u{202E}rtl\u{2069}", "�rtl�"), ("\u{200B}\u{FEFF}\u{2060}", "���"),
            ("\u{200F}", "�"), ("\u{E0041}", "�"), ("\u{E000}", "�"), ("\u{FFFF}", "�"),
            ("\u{2028}", "�"), ("plain ‹ok› é", "plain ‹ok› é"),
        ]
    )
    func harmless(text: String, shown: String) {
        #expect(Glyphs(text).map(\.text).joined() == shown)
        #expect(Glyphs(text).reduce(0) { $0 + $1.width } == DisplayWidth.columns(of: text))
    }

    @Test(
        "columns, as a terminal counts them",
        arguments: [
            ("", 0), ("abc", 3), ("日本語", 6), ("한국어", 6), ("ｆｕｌｌ", 8), ("e\u{301}", 1),
            ("é", 1), ("👍", 2), ("👍🏽", 2), ("👨‍👩‍👧", 6), ("❤️", 1), ("🇩🇪", 2), ("…·│█", 4),
            ("\u{1100}\u{1161}\u{11A8}", 2), ("क्ष", 2), ("\u{1B}[0m", 4), ("⚠", 1), ("⏰", 2),
        ]
    )
    func width(text: String, columns: Int) {
        #expect(DisplayWidth.columns(of: text) == columns)
        #expect(Glyphs(text).reduce(0) { $0 + $1.width } == columns)
    }

    @Test("marks join their base, as many as a cell holds")
    func marks() {
        let glyphs = Array(Glyphs("a" + String(repeating: "\u{301}", count: 50) + "b"))
        #expect(glyphs.map(\.width) == [1, 1])
        #expect(glyphs[0].text.unicodeScalars.count == 5)
        #expect(Glyphs("\u{301}x").map(\.text) == ["\u{25CC}\u{301}", "x"])
    }

    @Test("a common scalar is as wide as its category and its range say")
    func common() {
        let others = (0x20...0xFFFF).compactMap(Unicode.Scalar.init).filter { scalar in
            // A lone joiner or selector changes how what is before it looks.
            ![.joins, .decoration].contains(DisplayWidth(of: scalar))
                && DisplayWidth(of: scalar) != DisplayWidth(ofUncommon: scalar)
        }
        #expect(others.isEmpty)
    }

    @Test("no scalar brings a control, and every glyph is one or two wide")
    func everyScalar() {
        for value in 0...0x10FFFF {
            guard let scalar = Unicode.Scalar(UInt32(value)) else { continue }
            for glyph in Glyphs(String(scalar)) {
                let isSafe = glyph.text.unicodeScalars.allSatisfy {
                    $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value)
                        && $0.properties.generalCategory != .format
                }
                guard isSafe, glyph.width == 1 || glyph.width == 2 else {
                    Issue.record("U+\(String(value, radix: 16)) gives \(glyph)")
                    return
                }
            }
        }
    }
}
