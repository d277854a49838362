import Basics
import Testing

@testable import Profiles

@Suite("Answers: tokens in the headers")
struct CookieResponseTests {
    @Test(
        "a token in a cookie or a header is found, whatever the body",
        arguments: ["", "OK", "{}", "[]", "<p>Welcome</p>"]
    )
    func found(body: String) throws {
        let dialect = try Dialect(
            toml: """
                name = "sketch"
                [login]
                request = "POST /login"
                [login.response]
                access = "cookie:access"
                refresh = "header:X-Refresh"
                access_expires = "unix_seconds:header:X-Expires"
                [refresh]
                request = "POST /refresh"
                token_in = "cookie:refresh"
                [refresh.response]
                access = "cookie:access"
                refresh = "cookie:refresh"
                [[refresh.terminal]]
                status = 401
                [protected]
                request = "GET /me"
                token_in = "cookie:access"
                """,
            file: "sketch.toml"
        )
        let response = WireResponse(
            status: 200,
            headers: [
                WireHeader("Set-Cookie", "refresh=r1; Path=/refresh; HttpOnly"),
                WireHeader("Set-Cookie", "access=a1; HttpOnly; Secure"),
                WireHeader("X-Refresh", "r2"), WireHeader("X-Expires", "1767707320"),
            ],
            body: Array(body.utf8)
        )
        let login = try #require(dialect.readLogin(response).tokens)
        #expect(login.access == AccessToken(Secret("a1")))
        #expect(login.refresh == RefreshToken(Secret("r2")))
        #expect(login.accessEvidence.count == 1)
        let refresh = try #require(dialect.readRefresh(response).tokens)
        #expect(refresh.refresh == RefreshToken(Secret("r1")))
        #expect(dialect.protectedRequest(login.access).header("Cookie") == "access=a1")
    }

    @Test("an answer without the cookie is as unreadable as any", arguments: ["", "OK"])
    func missing(body: String) throws {
        let dialect = try Dialect.sketch(answer: "access_expires = \"jwt\"")
        let response = WireResponse(
            status: 200,
            headers: [WireHeader("Set-Cookie", "access=a1")],
            body: Array(body.utf8)
        )
        guard case .failed(.undecodable) = dialect.readRefresh(response) else {
            Issue.record("it was read")
            return
        }
    }
}
