import Testing

@testable import Basics

@Suite("JSONValue")
struct JSONValueTests {
    private static func parsed(_ text: String) -> JSONValue? {
        JSONValue(parsing: Array(text.utf8))
    }

    private static let samples: [(text: String, value: JSONValue)] = [
        ("null", .null), ("true", true), ("false", false), ("1", 1), ("-7", -7),
        ("1.5", .number(1.5)), (#""a""#, "a"), ("[1,[]]", [1, .array([])]),
        (#"{"a":{"b":null}}"#, ["a": ["b": .null]]),
        ("9223372036854775807", .integer(.max)), (#""\u00fc""#, "ü"),
    ]

    @Test("each kind of value is told apart", arguments: samples)
    func kinds(text: String, value: JSONValue) {
        #expect(Self.parsed(text) == value)
    }

    @Test(
        "what is not one whole value is nothing",
        arguments: ["", " ", "{", "[1,]", "{}x", "nul", "'a'", #"{"a"}"#, "1e999", "\u{0}"]
    )
    func garbage(text: String) {
        #expect(Self.parsed(text) == nil)
    }

    @Test("deep nesting is refused and does not overflow the stack", arguments: [600, 100_000])
    func deep(depth: Int) {
        let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        #expect(Self.parsed(text) == nil)
    }

    @Test("equal values give equal text, whatever the order of their keys")
    func serialization() {
        #expect(Self.parsed(#"{"b":[1,2.5],"a":"x/y"}"#)?.serialized == #"{"a":"x/y","b":[1,2.5]}"#)
        #expect(JSONValue.number(.nan).serialized == "null")
    }

    private static let places: [(path: String, value: JSONValue?)] = [
        ("a.b", 1), ("a", ["b": 1]), ("a.c", nil), ("a.b.c", nil), ("", nil), ("a.", nil),
        ("list.0", 1), ("list.1.b", 2), ("list.2", nil), ("list.-1", nil), ("list.+0", nil),
        ("list.", nil), ("list.b", nil), ("list.99999999999999999999", nil), ("numbered.0", 3),
    ]

    @Test("a path leads through objects and lists", arguments: places)
    func paths(path: String, value: JSONValue?) {
        let json: JSONValue = [
            "a": ["b": 1], "list": [1, ["b": 2]], "numbered": ["0": 3],
        ]
        #expect(json.value(at: path) == value)
    }

    private static let numerals: [(value: JSONValue, number: Double?)] = [
        (.integer(5), 5), (.number(2.5), 2.5), ("3600", 3600), ("soon", nil), (true, nil),
        (.null, nil), (.array([]), nil),
    ]

    @Test("a number may be written as a string", arguments: numerals)
    func numbers(value: JSONValue, number: Double?) {
        #expect(value.numberValue == number)
    }

    private static let names: [(value: JSONValue, text: String?)] = [
        (.integer(5), "5"), (.string("x"), "x"), (true, "true"), (.null, nil),
        (.array([]), nil), (.object([:]), nil),
    ]

    @Test("what a user would call it", arguments: names)
    func display(value: JSONValue, text: String?) {
        #expect(value.displayText == text)
    }
}
