import Testing

@testable import Proxy

@Suite("Serving: who may use a session")
struct ServingRulesTests {
    private static let rules = ServingRules(user: 1_000, origins: ["http://LOCALHOST:3000"])

    private static func refusal(_ fields: [(String, String)]) -> String? {
        let request = RequestMessage(
            method: "GET",
            target: "/",
            minorVersion: 1,
            fields: fields.map { HeadField($0.0, $0.1) }
        )
        return rules.refusal(of: request)
    }

    @Test("a program of the same user may, and one of another or an unknown user may not")
    func users() throws {
        #expect(Self.rules.refusal(of: .user(1_000)) == nil)
        let other = try #require(Self.rules.refusal(of: .user(0)))
        #expect(other.contains("another user") && other.contains("uid 0"))
        let unknown = try #require(Self.rules.refusal(of: .unknown))
        for refusal in [other, unknown] {
            #expect(refusal.contains("--socket") && refusal.contains("--allow-other-users"))
        }
        let open = ServingRules(user: 1_000, allowsOtherUsers: true)
        #expect(open.refusal(of: .user(0)) == nil)
        #expect(open.refusal(of: .unknown) == nil)
    }

    @Test(
        "a request that a page could send is refused, with the way to allow it",
        arguments: [
            [("Origin", "https://evil.example")], [("Referer", "http://evil.example/a?b")],
            [("Origin", "http://localhost:3001")],
            [("Origin", "http://localhost:3000"), ("Origin", "https://evil.example")],
            [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "same-site")],
            [("Sec-Fetch-Site", "Same-Origin"), ("Host", "127.0.0.1:9000")],
            [("Origin", "https://evil.example"), ("Sec-Fetch-Site", "none")],
        ]
    )
    func pages(fields: [(String, String)]) throws {
        let refusal = try #require(Self.refusal(fields))
        #expect(refusal.contains("any page could send one"))
        #expect(refusal.contains("--allow-origin"))
    }

    @Test("a page without an origin is refused, and no option is named that could not be given")
    func nameless() throws {
        let refusal = try #require(Self.refusal([("Origin", "null")]))
        #expect(refusal.contains("any page could send one"))
        #expect(!refusal.contains("--allow-origin"))
    }

    @Test(
        "a request of a program, of the user, or of a page that was named is not",
        arguments: [
            [], [("Sec-Fetch-Site", "none")], [("Referer", "http://localhost:3000/a")],
            [("Origin", "http://localhost:3000")],
            [("Origin", "http://localhost:3000"), ("Sec-Fetch-Site", "cross-site")],
            [("Sec-Fetch-Site", "same-origin"), ("Host", "localhost:3000")],
        ]
    )
    func programs(fields: [(String, String)]) {
        #expect(Self.refusal(fields) == nil)
    }
}
