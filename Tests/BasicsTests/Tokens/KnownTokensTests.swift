import FoundationEssentials
import Testing

@testable import Basics

@Suite("Known tokens, in whatever is sent", .timeLimit(.minutes(2)))
struct KnownTokensTests {
    private static let token = "access-token-of-generation-1"

    private static var known: KnownTokens {
        var known = KnownTokens()
        known.add(Secret(token))
        return known
    }

    private static func found(_ text: String) -> [String] {
        known.tokens(in: text).map { $0.reveal() }
    }

    private static func base64(_ text: String) -> String {
        Data(text.utf8).base64EncodedString()
    }

    private static func percent(_ text: String) -> String {
        text.utf8.map { "%" + String($0, radix: 16) }.joined()
    }

    @Test("are found through three encodings, and no text is decoded without end")
    func depth() {
        let levels: [(String) -> String] = [{ Self.base64("{\"a\":\"\($0)\"}") }, Self.percent]
        for encode in levels {
            var text = Self.token
            for depth in 1...3 {
                text = encode(text)
                #expect(Self.found(text) == [Self.token], "\(depth)")
            }
        }
        let deeper = (1...6).reduce(Self.token) { text, _ in Self.base64("{\"a\":\"\(text)\"}") }
        #expect(Self.found(deeper).isEmpty)
        // Ten thousand percent signs, each of the next.
        let percents = "%" + String(repeating: "25", count: 10_000) + "41"
        #expect(Self.found(percents + Self.token).isEmpty)
        let deep = String(repeating: "{\"a\":[", count: 5_000) + "\"\(Self.token)\""
        #expect(Self.found(deep) == [Self.token])
        let escaped = String(repeating: "\\", count: 20_000) + "\"\(Self.token)\""
        #expect(Self.found(escaped) == [Self.token])
    }

    @Test("are told from megabytes of what nearly is one")
    func nearly() {
        let near = String(repeating: Self.token + "2 ", count: 10 << 20 / 30)
        #expect(Self.found(near).isEmpty)
        let binary = Array(String(repeating: "access-t", count: 1 << 17).utf8)
        #expect(Self.known.tokens(in: binary, isBinary: true).isEmpty)
        let runs = String(repeating: Self.base64("no token in here") + ",", count: 100_000)
        #expect(Self.found(runs).isEmpty)
        #expect(Self.found(String(repeating: "%", count: 1 << 20)).isEmpty)
    }

    @Test("are found at their full length where shorter ones begin them", arguments: [false, true])
    func sizes(isLongestFirst: Bool) {
        let words = (0..<5).map { Self.token + String(repeating: "x", count: $0 * 3) }
        var known = KnownTokens()
        for word in isLongestFirst ? words.reversed() : words { known.add(Secret(word)) }
        for word in words {
            #expect(known.tokens(in: "to \(word), and").map { $0.reveal() } == [word])
            #expect(known.contains(Secret(word)))
        }
        #expect(known.tokens(in: Self.token + "xx").isEmpty)
        #expect(!known.contains(Secret(Self.token + "xx")))
    }

    @Test("are found among thousands that begin alike and are of one size")
    func alike() {
        var known = KnownTokens()
        let tokens = (0..<20_000).map { number in
            "eyJhbGciOiJIUzI1NiJ9." + String(repeating: "eyJzdWIi", count: 80)
                + ".\(100_000 + number)"
        }
        for token in tokens { known.add(Secret(token)) }
        for number in stride(from: 0, to: 20_000, by: 40) {
            let found = known.tokens(in: "Bearer \(tokens[number])")
            #expect(found.map { $0.reveal() } == [tokens[number]])
        }
    }

    @Test("of which half go when there are too many, the oldest first")
    func forgotten() {
        var known = KnownTokens()
        for number in 0...65_536 { known.add(Secret("token-number-\(100_000 + number)")) }
        #expect(known.tokens(in: "token-number-100000").isEmpty)
        #expect(known.tokens(in: "token-number-165536").count == 1)
    }
}
