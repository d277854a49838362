import Testing

@testable import UI

@Suite("Lines: fitting")
struct LineTests {
    @Test(
        "a line is cut before a glyph that does not fit, never through it",
        arguments: [
            ("abcdef", 4, "abc…"), ("abc", 3, "abc"), ("abc", 5, "abc  "), ("日本語", 6, "日本語"),
            ("日本語", 5, "日本…"), ("日本語", 4, "日… "), ("日本語", 2, "… "), ("日本語", 1, "…"),
            ("abc", 0, ""), ("e\u{301}e\u{301}e", 2, "e\u{301}…"), ("abc  ", 4, "abc "),
            ("abc  ", 3, "abc"), ("abc  ", 2, "a…"),
        ]
    )
    func fitted(text: String, columns: Int, shown: String) {
        let line = Line(text).fitted(to: columns)
        #expect(line.text == shown)
        #expect(line.width == columns)
    }

    @Test("styles survive the cut")
    func styles() {
        let line: Line = "\("401", .bad) refused"
        let expected: Line = "\("401", .bad) ref…"
        #expect(line.limited(to: 8) == expected)
    }

    @Test("of two ends the right one goes first")
    func spread() {
        #expect(Line.spread("left", "right", over: 12).text == "left   right")
        #expect(Line.spread("left", "right", over: 9).text == "left     ")
    }

    @Test("the longest way that fits is taken")
    func ways() {
        let ways: [Line] = ["four", "two", "x"]
        #expect(Line.first(of: ways, fitting: 3) == "two")
        #expect(Line.first(of: ["four"], fitting: 3) == "fo…")
        #expect(Line.first(of: [], fitting: 3) == Line())
    }

    @Test(
        "a long text is broken at blanks, or where it is full",
        arguments: [
            ("one two three", 8, ["one two ", "  three"]),
            ("now /a/path", 10, ["now ", "  /a/path"]),
            ("abcdefghij", 4, ["abcd", "  ef", "  gh", "  ij"]),
            ("日本語日本語", 5, ["日本", "  語", "  日", "  本", "  語"]), ("short", 8, ["short"]),
        ]
    )
    func wrapped(text: String, columns: Int, rows: [String]) {
        #expect(Line(text).wrapped(to: columns, indent: 2).map(\.text) == rows)
    }
}
