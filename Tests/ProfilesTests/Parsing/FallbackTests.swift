import Basics
import Testing

@testable import Profiles

@Suite("Fallbacks: the first place that holds a value counts")
struct FallbackTests {
    @Test(
        "melchat reads accessToken, else token",
        arguments: [
            (#"{"success": true, "accessToken": "new", "token": "old"}"#, "new"),
            (#"{"success": true, "token": "old"}"#, "old"),
            (#"{"success": true, "accessToken": "", "token": "old"}"#, "old"),
            (#"{"success": true, "accessToken": null, "token": "old"}"#, "old"),
        ]
    )
    func melchat(body: String, token: String) throws {
        let dialect = try #require(Dialect.builtIn(named: "melchat"))
        let tokens = try #require(dialect.readLogin(WireResponse(200, json: body)).tokens)
        #expect(tokens.access.secret == Secret(token))
    }

    @Test(
        "an empty or absent refresh token is none, so that the old one stays",
        arguments: [
            #"{"access_token": "a"}"#, #"{"access_token": "a", "refresh_token": ""}"#,
            #"{"access_token": "a", "refresh_token": null}"#,
            #"{"access_token": "a", "refresh_token": 7}"#,
        ]
    )
    func noRefresh(body: String) throws {
        let dialect = try #require(Dialect.builtIn(named: "intellipost"))
        let tokens = try #require(dialect.readRefresh(WireResponse(200, json: body)).tokens)
        #expect(tokens.refresh == nil)
    }

    @Test("a token may come in a cookie or a header of the answer")
    func otherPlaces() throws {
        let text = """
            name = "sketch"
            [login]
            request = "POST /login"
            [login.response]
            access = "header:X-Access-Token"
            refresh = ["cookie:refresh", "refresh"]
            """
        let dialect = try Dialect(toml: text, file: "sketch.toml")
        let response = WireResponse(
            200,
            json: #"{"refresh": "in the body"}"#,
            headers: [
                "x-access-token": "a", "Set-Cookie": "refresh=r%3D1; Path=/; HttpOnly",
            ]
        )
        let tokens = try #require(dialect.readLogin(response).tokens)
        #expect(tokens.access.secret == Secret("a"))
        #expect(tokens.refresh?.secret == Secret("r=1"))
    }

    @Test(
        "a success flag counts when it says no",
        arguments: ["false", #""false""#, #""False""#, "0"]
    )
    func flags(flag: String) throws {
        let dialect = try #require(Dialect.builtIn(named: "melchat"))
        let body = #"{"success": \#(flag), "accessToken": "a"}"#
        #expect(dialect.readRefresh(WireResponse(200, json: body)).tokens == nil)
        #expect(
            dialect.readRefresh(WireResponse(200, json: #"{"accessToken": "a"}"#)).tokens != nil
        )
    }
}
