import Testing

@testable import Basics

@Suite("JSON: text into values")
struct JSONParserTests {
    @Test(
        "a value is what the text says",
        arguments: [
            ("null", .null), ("true", true), (" 12 ", 12), ("-0.5", .number(-0.5)),
            (#""\u00e9\n\ud83d\ude00""#, "é\n😀"), ("[]", []), ("{}", [:]),
            (#"{"a":[1,{"b":null}]}"#, ["a": [1, ["b": .null]]]),
        ] as [(String, JSONValue)]
    )
    func values(text: String, value: JSONValue) {
        #expect(JSONValue(parsing: Array(text.utf8)) == value)
    }

    @Test(
        "what is no JSON is nothing",
        arguments: [
            "", " ", "nul", "tru e", "01", "1.", "+1", "[1,]", "{\"a\"}", "{a:1}", "\"",
            "\"\u{1}\"",
            "\"\\x\"", "\"\\ud800", "\"\\ud800\\u12\"", "1 2", "[1", "{\"a\":1", "NaN",
        ]
    )
    func refused(text: String) {
        #expect(JSONValue(parsing: Array(text.utf8)) == nil)
    }

    @Test(
        "half of a surrogate pair is U+FFFD",
        arguments: [
            (#""\ud83d""#, "\u{FFFD}"), (#""\ud83dx""#, "\u{FFFD}x"), (#""\ude00""#, "\u{FFFD}"),
            (#""\ud83d\n""#, "\u{FFFD}\n"), (#""\ud83d\ud83d\ude00""#, "\u{FFFD}😀"),
            (#""\ude00\ud83d""#, "\u{FFFD}\u{FFFD}"), (#""\ud83d\u0041""#, "\u{FFFD}A"),
        ]
    )
    func halfOfPair(text: String, value: String) {
        #expect(JSONValue(parsing: Array(text.utf8)) == .string(value))
    }

    @Test("bytes that are not UTF-8 are U+FFFD within a string, and no JSON elsewhere")
    func notText() {
        #expect(JSONValue(parsing: [0x22, 0x61, 0xFF, 0x62, 0x22]) == "a\u{FFFD}b")
        // In the encoding of a surrogate each byte is invalid.
        #expect(JSONValue(parsing: [0x22, 0xED, 0xA0, 0xBD, 0x22]) == "\u{FFFD}\u{FFFD}\u{FFFD}")
        #expect(JSONValue(parsing: [0xFF]) == nil)
        #expect(JSONValue(parsing: [0x5B, 0xFF, 0x5D]) == nil)
    }

    @Test("a byte order mark at the beginning is ignored")
    func mark() {
        #expect(JSONValue(parsing: [0xEF, 0xBB, 0xBF] + Array("{}".utf8)) == [:])
        #expect(JSONValue(parsing: Array("{}".utf8) + [0xEF, 0xBB, 0xBF]) == nil)
    }

    @Test("nesting is limited, and a hostile megabyte of it is refused")
    func deep() {
        let allowed = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
        #expect(JSONValue(parsing: Array(allowed.utf8)) != nil)
        let hostile = String(repeating: "[", count: 1 << 20)
        #expect(JSONValue(parsing: Array(hostile.utf8)) == nil)
    }
}
