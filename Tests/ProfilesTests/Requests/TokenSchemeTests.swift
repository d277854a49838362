import Basics
import Testing

@testable import Profiles

@Suite("Requests: the scheme of the access token, and the form of the answer")
struct TokenSchemeTests {
    private static func dialect(_ more: String = "", top: String = "") throws -> Dialect {
        try Dialect(
            toml: """
                name = "sketch"
                \(top)
                [login]
                request = "POST /login"
                [login.response]
                access = "access_token"
                refresh = "refresh_token"
                token_type = "token_type"
                [refresh]
                request = "POST /refresh"
                body = "form"
                token_in = "form:refresh_token"
                [refresh.response]
                access = "access_token"
                refresh = "refresh_token"
                token_type = "token_type"
                [[refresh.terminal]]
                status = 401
                [logout.this]
                request = "POST /logout"
                access_in = "bearer"
                [sessions]
                request = "GET /sessions"
                id = "id"
                [sessions.end]
                request = "DELETE /sessions/{id}"
                [feed]
                path = "/feed"
                token_in = "bearer"
                [protected]
                request = "GET /me"
                \(more)
                """,
            file: "sketch.toml"
        )
    }

    private let token = AccessToken(Secret("a1"))

    @Test("every request with the token names the scheme of the profile")
    func scheme() throws {
        let dialect = try Self.dialect(#"scheme = "token""#)
        let requests = [
            dialect.protectedRequest(token),
            try #require(dialect.sessionsRequest(token)),
            try #require(
                dialect.logoutRequest(.this, refresh: nil, access: token, credentials: [:])
            ),
        ]
        for request in requests { #expect(request.header("Authorization") == "token a1") }
        #expect(dialect.tokenHeader(token) == WireHeader("Authorization", "token a1"))
        let feed = try #require(dialect.feedRequest(token, since: nil))
        #expect(feed.headers.contains(WireHeader("Authorization", "token a1")))
        #expect(dialect.hasTokenHeader)
    }

    @Test("it is read again, in any case, and Bearer is another one")
    func read() throws {
        let dialect = try Self.dialect(#"scheme = "token""#)
        func recognized(_ value: String) -> RecognizedRequest? {
            dialect.recognize(
                WireRequest(
                    method: "GET",
                    target: "/me",
                    headers: [WireHeader("Authorization", value)]
                )
            )
        }
        #expect(recognized("Token a1") == .protected(token))
        #expect(recognized("Bearer a1") == .protected(nil))
        #expect(try Self.dialect().recognize(Self.dialect().protectedRequest(token)) != nil)
    }

    @Test(
        "without one it is Bearer, as with that one",
        arguments: ["", #"scheme = "Bearer""#]
    )
    func usual(more: String) throws {
        let request = try Self.dialect(more).protectedRequest(token)
        #expect(request.header("Authorization") == "Bearer a1")
    }

    @Test(
        "a type that nothing else is known of is read where the profile names the scheme",
        arguments: ["token", "MAC", "example", "N_A"]
    )
    func types(type: String) throws {
        let body = #"{"access_token": "a1", "token_type": "\#(type)"}"#
        let dialect = try Self.dialect(#"scheme = "token""#)
        #expect(dialect.readLogin(WireResponse(200, json: body)).tokens?.access == token)
    }

    @Test("an answer as a form is read")
    func form() throws {
        let response = WireResponse(
            200,
            json: "access_token=gho_16C7e42F292c&scope=repo%2Cgist&token_type=bearer",
            headers: ["Content-Type": "application/x-www-form-urlencoded; charset=utf-8"]
        )
        let tokens = try #require(try Self.dialect().readLogin(response).tokens)
        #expect(tokens.access == AccessToken(Secret("gho_16C7e42F292c")))
    }

    @Test("requests for tokens accept JSON, unless the profile says otherwise")
    func accept() throws {
        let usual = try Self.dialect()
        let refresh = RefreshToken(Secret("r1"))
        #expect(try usual.loginRequest([:]).header("Accept") == "application/json")
        #expect(usual.refreshRequest(refresh).header("Accept") == "application/json")
        #expect(usual.protectedRequest(token).header("Accept") == nil)
        let own = try Self.dialect(top: #"headers = { Accept = "application/vnd.api+json" }"#)
        #expect(try own.loginRequest([:]).header("Accept") == "application/vnd.api+json")
        #expect(own.refreshRequest(refresh).header("Accept") == "application/vnd.api+json")
        // What an app accepts is no reason not to recognize its request.
        let sent = WireRequest(
            method: "POST",
            target: "/refresh",
            headers: [
                WireHeader("Content-Type", "application/x-www-form-urlencoded"),
                WireHeader("Accept", "*/*"),
            ],
            body: Array("refresh_token=r1".utf8)
        )
        #expect(usual.recognize(sent) == .refresh(refresh))
    }
}
