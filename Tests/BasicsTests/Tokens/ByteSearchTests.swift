import Basics
import Testing

@Suite("Searches by bytes")
struct ByteSearchTests {
    @Test(
        "find the first occurrence, also where a part of it comes before",
        arguments: [
            ("aab", "ab", 1), ("aaaab", "aab", 2), ("abcabd", "abd", 3), ("a://b", "://", 1),
            ("größe: 1", "ße", 4), ("one", "one", 0), ("one", "", 0), ("", "", 0),
        ]
    )
    func found(text: String, part: String, offset: Int) throws {
        let range = try #require(text.range(ofBytes: part))
        #expect(text.utf8.distance(from: text.startIndex, to: range.lowerBound) == offset)
        #expect(text[range] == part)
        #expect(text.containsBytes(of: part))
    }

    @Test(
        "find nothing where it does not stand, or only the beginning of it",
        arguments: [("one", "two"), ("aaa", "ab"), ("ab", "abc"), ("", "a"), ("ABC", "abc")]
    )
    func missing(text: String, part: String) {
        #expect(text.range(ofBytes: part) == nil)
        #expect(!text.containsBytes(of: part))
        #expect(text.replacing(bytes: part, with: "x") == text)
    }

    @Test("find a mark although another one is combined with it")
    func combined() {
        let text = "key=\"\u{301}value\""
        #expect(text.range(ofBytes: "=\"") != nil)
        #expect(text.replacing(bytes: "\"", with: "") == "key=\u{301}value")
    }

    @Test(
        "replace each occurrence once, and not what they leave together",
        arguments: [
            ("a b c", " ", "", "abc"), ("aaaa", "aa", "a", "aa"), ("abab", "ab", "ba", "baba"),
            ("aabb", "ab", "", "ab"), ("\"x\"", "\"", "", "x"), ("x", "", "y", "x"),
        ]
    )
    func replaced(text: String, part: String, other: String, result: String) {
        #expect(text.replacing(bytes: part, with: other) == result)
        #expect(Substring(text).replacing(bytes: part, with: other) == result)
    }
}
