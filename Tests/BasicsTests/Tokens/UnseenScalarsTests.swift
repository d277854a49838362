import Testing

@testable import Basics

@Suite("What cannot be seen")
struct UnseenScalarsTests {
    static let unseen: [(scalar: Unicode.Scalar, escape: String)] = [
        ("\u{7F}", #"\u007f"#), ("\u{85}", #"\u0085"#), ("\u{9B}", #"\u009b"#),
        ("\u{AD}", #"\u00ad"#), ("\u{200B}", #"\u200b"#), ("\u{200D}", #"\u200d"#),
        ("\u{200F}", #"\u200f"#), ("\u{2028}", #"\u2028"#), ("\u{2029}", #"\u2029"#),
        ("\u{202E}", #"\u202e"#), ("\u{2066}", #"\u2066"#), ("\u{2069}", #"\u2069"#),
        ("\u{FEFF}", #"\ufeff"#), ("\u{E000}", #"\ue000"#), ("\u{E0041}", #"\udb40\udc41"#),
    ]

    @Test("is escaped in JSON, in strings and in names, and is the same when it is read")
    func json() throws {
        for (scalar, escape) in Self.unseen {
            #expect(scalar.isUnseen)
            let value: JSONValue = .object(["a\(scalar)": .string("\(scalar)b")])
            #expect(value.serialized == #"{"a\#(escape)":"\#(escape)b"}"#)
            #expect(JSONValue(parsing: Array(value.serialized.utf8)) == value)
        }
    }

    @Test("is no letter, mark, sign or emoji")
    func seen() {
        for scalar in "aé中\u{301}€😀 ~¬®".unicodeScalars { #expect(!scalar.isUnseen, "\(scalar)") }
        #expect(JSONValue.string("é中😀/").serialized == "\"é中😀/\"")
    }
}
