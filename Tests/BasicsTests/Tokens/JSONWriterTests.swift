import Foundation
import Testing

@testable import Basics

@Suite("JSON: values into text")
struct JSONWriterTests {
    private static let samples: [(value: JSONValue, text: String)] = [
        (.null, "null"), (true, "true"), (.integer(.min), "-9223372036854775808"),
        (.number(2), "2"), (.number(-0.25), "-0.25"), (.number(1e300), "1e+300"),
        (.number(.infinity), "null"), (.array([1, []]), "[1,[]]"), ([:], "{}"),
        (["b": 1, "a": ["c": .null], "B": 2], #"{"B":2,"a":{"c":null},"b":1}"#),
        ("a/b", #""a/b""#), ("\"\\", #""\"\\""#), ("\n\r\t\u{8}\u{C}", #""\n\r\t\b\f""#),
        ("\0\u{1B}\u{7F}", #""\u0000\u001b\u007f""#), ("é😀", #""é😀""#),
        ("\u{202E}a\u{E0001}", #""\u202ea\udb40\udc01""#), (["\n": 1], #"{"\n":1}"#),
    ]

    @Test("a value has one text", arguments: samples)
    func text(value: JSONValue, text: String) {
        #expect(value.serialized == text)
    }

    @Test("a value that is written and read again is the same", arguments: samples.map(\.value))
    func roundTrip(value: JSONValue) {
        guard value != .number(.infinity) else { return }
        let read = JSONValue(parsing: Array(value.serialized.utf8))
        #expect(read?.serialized == value.serialized)
    }

    @Test("it is what Foundation writes, for every character that is not escaped as invisible")
    func likeFoundation() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let scalars = (0...0x3000).compactMap { Unicode.Scalar($0) }.filter {
            $0.value < 0x20 || !$0.isUnseen
        }
        for scalar in scalars {
            let value: JSONValue = [String(scalar): .string("a\(scalar)b")]
            let expected = String(decoding: try encoder.encode(value), as: UTF8.self)
            #expect(value.serialized == expected)
        }
        for exponent in -30...30 {
            let value = JSONValue.number(1.2345678901234567 * pow(10, Double(exponent)))
            #expect(value.serialized == String(decoding: try encoder.encode(value), as: UTF8.self))
        }
    }
}
