import Basics
import Testing

@testable import Profiles

@Suite("Small words of a file")
struct WordTests {
    @Test(
        "a time is a number and a unit",
        arguments: [
            ("90s", 90), ("30m", 1800), ("12h", 43_200), ("7d", 604_800), ("1.5h", 5400),
            ("250ms", 0.25), ("30", nil), ("m", nil), ("", nil), ("-5s", nil), ("5 s", nil),
            ("1.2.3s", nil), ("٣s", nil), ("5S", nil),
        ] as [(String, Double?)]
    )
    func durations(text: String, seconds: Double?) {
        #expect(DurationParser.seconds(in: text) == seconds)
    }

    @Test(
        "a number without a unit is seconds only where that is asked for",
        arguments: [("30", 30), ("1.5", 1.5), ("90s", 90), ("", nil), ("-5", nil), ("s", nil)]
            as [(String, Double?)]
    )
    func bareNumbers(text: String, seconds: Double?) {
        #expect(DurationParser.seconds(in: text, takesBareNumber: true) == seconds)
    }

    @Test(
        "the nearest known key is the one with few letters to change, or the same beginning",
        arguments: [
            ("tokn_in", "token_in"), ("acess", "access"), ("REFRESH", "refresh"), ("zzz", nil),
            ("access_key", "access"), ("acecss", "access"), ("tokne_in", "token_in"),
            ("token", "token_in"), ("accessible", nil),
            (String(repeating: "x", count: 100_000), nil),
        ] as [(String, String?)]
    )
    func nearest(word: String, expected: String?) {
        #expect(NearestKey.of(word, among: ["token_in", "refresh", "access"]) == expected)
        #expect(NearestKey.of(word, among: []) == nil)
    }

    @Test(
        "a token format admits what can be one",
        arguments: [
            (TokenFormat.uuid, "555dce3b-198f-426d-b0be-92d234747cc3", true),
            (.uuid, "555DCE3B-198F-426D-B0BE-92D234747CC3", true),
            (.uuid, "555dce3b198f426db0be92d234747cc3", false),
            (.uuid, "555dce3b-198f-426d-b0be-92d234747ccg", false), (.uuid, "", false),
            (.jwt, "eyJhIjoxfQ.eyJiIjoyfQ.c2ln", true), (.jwt, "a.b.c", false),
            (.opaque, "x", true), (.opaque, "", false),
        ]
    )
    func formats(format: TokenFormat, text: String, isAdmitted: Bool) {
        #expect(format.admits(Secret(text)) == isAdmitted)
    }

    @Test("text for a terminal has no character that steers one")
    func oneLine() {
        #expect("a\u{1B}[2J\r\nb\u{200B}\u{202E}c".inOneLine(limit: 99) == "a [2J b  c")
        #expect("abcdef".inOneLine(limit: 4) == "abc…")
        #expect("👩‍👩‍👧".inOneLine(limit: 4) == " ")
    }
}
