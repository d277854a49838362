import Basics
import Testing

@testable import Model
@testable import Profiles
@testable import UI

/// A renewal is compared with the pair that it replaces.
@Suite("Text: what a renewal should not change")
struct RenewalChangeTests {
    /// A renewal whose answer has these fields; it brings the same access token unless it is new.
    private static func renewed(
        _ headers: [WireHeader] = [],
        isNew: Bool = true,
        keepsAccess: Bool = false,
        claims: [String: JSONValue] = [:]
    ) -> SessionSnapshot {
        var script = EventScript.renewal(answeredWith: headers, isNew: isNew)
        for index in script.events.indices {
            guard let issued = script.events[index].kind as? TokensIssued,
                issued.pair.request == script.requests
            else { continue }
            var pair = issued.pair
            pair.keepsAccess = keepsAccess
            pair.access?.claims.merge(claims) { _, new in new }
            script.events[index].kind = TokensIssued(pair)
        }
        return SessionSnapshot(folding: script.events)
    }

    @Test(
        "an answer of a cache is named by the fields that show it",
        arguments: [
            (WireHeader("Age", "12"), "Age: 12"), (WireHeader("X-Cache", "HIT"), "X-Cache: HIT"),
            (WireHeader("CF-Cache-Status", "HIT"), "CF-Cache-Status: HIT"),
        ]
    )
    func cached(header: WireHeader, shown: String) {
        let line = RenewalChangeText.cached(Self.renewed([header], isNew: false))?.text
        #expect(line == "✗ the renewal's answer came from a cache (\(shown)): the same token")
        #expect(RenewalChangeText.cached(Self.renewed([header])) != nil)
    }

    @Test(
        "an answer that a cache has let through is none",
        arguments: [
            WireHeader("Age", "0"), WireHeader("X-Cache", "MISS"), WireHeader("Via", "1.1 proxy"),
        ]
    )
    func fresh(header: WireHeader) {
        #expect(RenewalChangeText.cached(Self.renewed([header])) == nil)
    }

    @Test("the same access token again is stated, without a cause")
    func same() {
        let line = RenewalChangeText.cached(Self.renewed(isNew: false))?.text
        #expect(line == "⚠ the renewal brought the same access token again")
    }

    @Test("an access token that stays, because the answer brought none to use, is no repetition")
    func kept() {
        #expect(RenewalChangeText.cached(Self.renewed(isNew: false, keepsAccess: true)) == nil)
    }

    @Test("rights that are gone are named; another order, and more rights, are not")
    func claims() {
        #expect(RenewalChangeText.claims(Self.renewed()) == nil)
        let other = Self.renewed(claims: ["scope": "posts:write posts:read", "jti": "7"])
        #expect(RenewalChangeText.claims(other) == nil)
        let more = Self.renewed(claims: ["scope": "posts:read posts:write admin"])
        #expect(RenewalChangeText.claims(more) == nil)
        let fewer = RenewalChangeText.claims(Self.renewed(claims: ["scope": "posts:read"]))
        #expect(fewer?.text.hasSuffix("scope without posts:write") == true)
    }
}
