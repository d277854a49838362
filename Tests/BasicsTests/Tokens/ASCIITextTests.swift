import Basics
import Testing

@Suite("Texts of protocols")
struct ASCIITextTests {
    @Test(
        "are equal if only the case of ASCII letters differs",
        arguments: [
            ("Set-Cookie", "set-cookie", true), ("", "", true), ("a", "b", false),
            ("ab", "abc", false), ("É", "é", false), ("[", "{", false), ("@", "`", false),
        ]
    )
    func equality(left: String, right: String, isEqual: Bool) {
        #expect(left.isEqualIgnoringCase(right) == isEqual)
    }

    @Test(
        "contain what their bytes contain",
        arguments: [
            ("application/json", "json", true), ("application/json", "JSON", false), ("", "", true),
            ("a", "", true), ("", "a", false), ("aab", "ab", true), ("ab", "abc", false),
            ("café au lait", "é a", true), ("abababc", "ababc", true),
        ]
    )
    func containment(text: String, part: String, isThere: Bool) {
        #expect(text.containsBytes(of: part) == isThere)
    }

    @Test("contain what a cut-out part of a longer text contains")
    func cutOut() {
        let whole = "xa long text that is stored apart from its beginning"
        let text = String(whole.dropFirst())
        #expect(text.containsBytes(of: "apart"))
        #expect(!text.containsBytes(of: "xa long"))
    }

    @Test("have small letters for capital ones, byte by byte")
    func lowercase() {
        let letters = (0...255).map { UInt8($0).asciiLowercased }
        #expect(letters.filter { (65...90).contains($0) }.isEmpty)
        #expect(UInt8(ascii: "Z").asciiLowercased == UInt8(ascii: "z"))
        #expect(UInt8(0xC9).asciiLowercased == 0xC9)
    }
}
