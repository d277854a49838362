import Basics
import FoundationEssentials
import Testing

@testable import Profiles

@Suite("Cookies: their end, and their deletion")
struct CookieExpiryTests {
    private let dialect: Dialect

    init() throws {
        dialect = try Dialect(
            toml: """
                name = "page"
                [login]
                request = "POST /login"
                [login.response]
                access = "cookie:access"
                access_expires = "cookie:access"
                [refresh]
                request = "POST /refresh"
                token_in = "cookie:refresh"
                [refresh.response]
                access = "cookie:access"
                access_expires = "cookie:access"
                refresh = "cookie:refresh"
                refresh_expires = "cookie:refresh"
                [[refresh.terminal]]
                status = 401
                """,
            file: "page.toml"
        )
    }

    private func answer(_ cookies: [String], status: Int = 200, date: String? = nil)
        -> WireResponse
    {
        let headers = cookies.map { WireHeader("Set-Cookie", $0) }
        return WireResponse(
            status: status,
            headers: headers + (date.map { [WireHeader("Date", $0)] } ?? [])
        )
    }

    private static let end = Date(timeIntervalSince1970: 2_145_916_800)
    private static let endText = "Fri, 01 Jan 2038 00:00:00 GMT"

    @Test("the parts of a cookie are told by bytes, not by what looks or counts like a semicolon")
    func bytes() throws {
        let value = "1\u{37E}Max-Age=0\u{37E}x"
        let change = try #require(
            answer(["a\u{301}=\(value);\u{301}Path=/; HttpOnly;Secure; \u{17F}ecure"])
                .cookieChanges.first
        )
        #expect(change.name == "a\u{301}")
        #expect(change.value.map { Array($0.reveal().utf8) } == Array(value.utf8))
        #expect(change.flags == ["httponly", "secure", "\u{17F}ecure"])
        let deleted = try #require(answer(["a=1;Max-Age=0;\u{301}"]).cookieChanges.first)
        #expect(deleted.value == nil)
    }

    @Test(
        "Max-Age precedes Expires, in whatever order and case",
        arguments: [
            ("; Max-Age=60", [.cookieMaxAge(seconds: 60)]),
            ("; max-age = 60 ; HttpOnly", [.cookieMaxAge(seconds: 60)]),
            ("; Expires=\(endText); Max-Age=60", [.cookieMaxAge(seconds: 60)]),
            ("; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", [.cookieMaxAge(seconds: 60)]),
            ("; Max-Age=1; Max-Age=60", [.cookieMaxAge(seconds: 60)]),
            ("; Expires=\(endText)", [.cookieExpires(end)]),
            ("; expires=Friday, 01-Jan-38 00:00:00 GMT", [.cookieExpires(end)]),
            ("; Max-Age=1h; Expires=\(endText)", [.cookieExpires(end)]),
            ("; Max-Age=99999999999999999999", [.cookieMaxAge(seconds: 315_360_000)]),
            ("", []),
        ] as [(String, [ExpiryEvidence])]
    )
    func sources(attributes: String, evidence: [ExpiryEvidence]) throws {
        let response = answer(["access=a1\(attributes)"])
        let tokens = try #require(dialect.readLogin(response).tokens)
        #expect(tokens.accessEvidence == evidence)
    }

    @Test("an Expires that cannot be read is said to be unusable")
    func unreadable() throws {
        let response = answer(["access=a1; Expires=tomorrow"])
        let tokens = try #require(dialect.readLogin(response).tokens)
        #expect(tokens.unusableExpiries.access.map(\.problem) == [.unreadable])
        #expect(tokens.unusableExpiries.access.map(\.place) == ["cookie:access"])
    }

    @Test(
        "a cookie that is deleted is no token",
        arguments: [
            ("access=a1; Max-Age=0", nil), ("access=a1; Max-Age=-1", nil),
            ("access=a1; Max-Age=0; Expires=\(endText)", nil),
            ("access=; Expires=Thu, 01 Jan 1970 00:00:00 GMT", nil),
            ("access=a1; Expires=Fri, 01 Jan 2038 00:00:00 GMT", "Fri, 01 Jan 2038 00:00:01 GMT"),
        ] as [(String, String?)]
    )
    func deleted(cookie: String, date: String?) {
        guard case .failed(.undecodable) = dialect.readLogin(answer([cookie], date: date)) else {
            Issue.record("it was taken for a token")
            return
        }
    }

    @Test("a cookie that is deleted for another path is still set for this one")
    func otherPath() throws {
        let response = answer(["access=a2; Path=/", "access=; Path=/old; Max-Age=0"])
        #expect(dialect.readLogin(response).tokens?.access == AccessToken(Secret("a2")))
    }

    @Test("the last of two cookies of the same name and path counts")
    func last() throws {
        let response = answer(["access=a1; Path=/", "access=a2; Path=/; Max-Age=9"])
        let tokens = try #require(dialect.readLogin(response).tokens)
        #expect(tokens.access == AccessToken(Secret("a2")))
        #expect(tokens.accessEvidence == [.cookieMaxAge(seconds: 9)])
    }

    @Test("a refresh that deletes the refresh token's cookie and brings no token ends the session")
    func ended() {
        for status in [200, 204, 403] {
            let decision = dialect.decideRefresh(
                answer(["refresh=; Max-Age=0", "access=; Max-Age=0"], status: status)
            )
            #expect(decision.rule == .cookieDeleted("refresh"))
            guard case .refused(let refusal) = decision.meaning else {
                Issue.record("\(status): \(decision.meaning)")
                continue
            }
            #expect(!refusal.isBare)
        }
    }

    @Test("a server error that does so says nothing")
    func serverError() {
        let decision = dialect.decideRefresh(answer(["refresh=; Max-Age=0"], status: 503))
        #expect(decision.rule == .neverTerminal)
    }

    @Test("a refresh that deletes it, and brings an access token, leaves no refresh token")
    func lastAccess() throws {
        let response = answer(["access=a2", "refresh=; Max-Age=0"])
        let tokens = try #require(dialect.readRefresh(response).tokens)
        #expect(tokens.refresh == nil)
        #expect(tokens.endsRefreshToken)
        let kept = try #require(dialect.readRefresh(answer(["access=a2"])).tokens)
        #expect(!kept.endsRefreshToken)
    }

    @Test("the sandbox states it as the profile reads it")
    func served() throws {
        let facts = Sample(dialect).facts
        let tokens = try #require(dialect.readRefresh(dialect.answer(.refreshIssued(facts))).tokens)
        #expect(tokens.accessEvidence.first == .cookieMaxAge(seconds: facts.accessLifetime))
        #expect(tokens.refreshEvidence.first == .cookieMaxAge(seconds: facts.refreshLifetime))
    }
}
