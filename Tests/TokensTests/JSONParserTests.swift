import Testing
import Tokens

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
            "\"\\x\"", "\"\\ud800\"", "1 2", "[1", "{\"a\":1", "NaN",
        ]
    )
    func refused(text: String) {
        #expect(JSONValue(parsing: Array(text.utf8)) == nil)
    }

    @Test("bytes that are not UTF-8 are no JSON")
    func notText() {
        #expect(JSONValue(parsing: [0x22, 0xFF, 0x22]) == nil)
    }

    @Test("nesting is limited, and a hostile megabyte of it is refused")
    func deep() {
        let allowed = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
        #expect(JSONValue(parsing: Array(allowed.utf8)) != nil)
        let hostile = String(repeating: "[", count: 1 << 20)
        #expect(JSONValue(parsing: Array(hostile.utf8)) == nil)
    }
}
