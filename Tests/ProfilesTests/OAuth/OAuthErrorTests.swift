import Basics
import Profiles
import Testing

@Suite("OAuth 2.0: errors")
struct OAuthErrorTests {
    @Test(
        "only invalid_grant ends a session, by RFC 6749 section 5.2",
        arguments: [
            Answer("oauth2", 400, #"{"error":"invalid_grant"}"#, #"refused 400 "invalid_grant""#),
            Answer("oauth2", 401, #"{"error":"invalid_grant"}"#, #"refused 401 "invalid_grant""#),
            Answer(
                "oauth2",
                400,
                #"{"error":"invalid_grant","error_description":"Token expired"}"#,
                #"refused 400 "Token expired""#
            ),
            Answer("oauth2", 403, #"{"error":"invalid_grant"}"#, #"refused 403 "invalid_grant""#),
            Answer(
                "oauth2",
                400,
                #"{"error":{"code":"invalid_grant","message":"Token expired"}}"#,
                #"refused 400 "Token expired""#
            ),
            Answer("oauth2", 403, #"{"error":"access_denied"}"#, #"transient 403 "access_denied""#),
            Answer(
                "oauth2",
                400,
                #"{"error":"invalid_request"}"#,
                #"client fault 400 "invalid_request""#
            ),
            Answer(
                "oauth2",
                401,
                #"{"error":"invalid_client"}"#,
                #"client fault 401 "invalid_client""#
            ),
            Answer(
                "oauth2",
                400,
                #"{"error":"unauthorized_client"}"#,
                #"client fault 400 "unauthorized_client""#
            ),
            Answer(
                "oauth2",
                400,
                #"{"error":"unsupported_grant_type"}"#,
                #"client fault 400 "unsupported_grant_type""#
            ),
            Answer(
                "oauth2",
                400,
                #"{"error":"invalid_scope"}"#,
                #"client fault 400 "invalid_scope""#
            ),
            Answer(
                "oauth2",
                503,
                #"{"error":"temporarily_unavailable"}"#,
                #"transient 503 "temporarily_unavailable""#
            ),
            Answer("oauth2", 500, #"{"error":"invalid_grant"}"#, #"transient 500 "invalid_grant""#),
            Answer("oauth2", 400, "", "bare refusal 400"),
            Answer("oauth2", 401, "", "bare refusal 401"),
            Answer("oauth2", 401, "<html></html>", "bare refusal 401"),
            Answer("oauth2", 403, "", "transient 403"),
        ]
    )
    func refresh(answer: Answer) throws {
        let dialect = try #require(Dialect.builtIn(named: answer.dialectName))
        let meaning = Meaning(sample: Sample(dialect)).of(dialect.readRefresh(answer.response))
        #expect(meaning == answer.meaning)
    }

    @Test(
        "invalid_token renews with any status, insufficient_scope with none",
        arguments: [
            (401, #"Bearer realm="example""#, "token rejected"),
            (401, #"Bearer error="invalid_token""#, "token rejected"),
            (403, #"Bearer realm="a, b", error="invalid_token""#, "token rejected"),
            (403, #"Basic realm="x", Bearer error=invalid_token"#, "token rejected"),
            (403, #"Bearer realm="error=invalid_token""#, "inconclusive"),
            (403, #"Bearer realm="\", error=\"invalid_token", scope="a""#, "inconclusive"),
            (403, #"Bearer error="insufficient_scope", scope="write""#, "inconclusive"),
            (401, #"Bearer error="insufficient_scope""#, "inconclusive"),
            (401, #"Bearer ERROR="Insufficient_Scope""#, "inconclusive"),
            (401, #"Bearer error="something_else""#, "token rejected"),
            (400, #"Bearer error="invalid_request""#, "inconclusive"),
        ]
    )
    func challenges(status: Int, challenge: String, meaning: String) throws {
        let dialect = try Dialect.oauth2()
        let response = WireResponse(status, json: "", headers: ["WWW-Authenticate": challenge])
        #expect(Meaning(sample: Sample(dialect)).of(dialect.readProtected(response)) == meaning)
    }

    @Test("each of several challenges is heard")
    func severalFields() throws {
        let response = WireResponse(
            status: 403,
            headers: [
                WireHeader("WWW-Authenticate", #"Basic realm="x""#),
                WireHeader("www-authenticate", #"Bearer error="invalid_token""#),
            ]
        )
        #expect(try Dialect.oauth2().readProtected(response) == .tokenRejected)
    }

    @Test("a revocation is done with any 200, also for an unknown token")
    func revocation() throws {
        let dialect = try Dialect.oauth2()
        #expect(dialect.readLogout(WireResponse(status: 200)) == .acknowledged(status: 200))
        #expect(
            dialect.readLogout(WireResponse(503, json: "", headers: ["Retry-After": "5"]))
                == .failed(status: 503, retryAfter: .seconds(5))
        )
    }

    @Test("a refresh token that one had before stays it where the answer brings none")
    func kept() throws {
        let dialect = try Dialect.oauth2("grant = \"refresh_token\"")
        let sent = ["refresh_token": Secret("r1")]
        let silent = WireResponse(200, json: #"{"access_token": "a", "token_type": "Bearer"}"#)
        let tokens = dialect.readLogin(silent, credentials: sent).tokens
        #expect(tokens?.refresh == RefreshToken(Secret("r1")))
        let rotated = WireResponse(200, json: #"{"access_token": "a", "refresh_token": "r2"}"#)
        let others = dialect.readLogin(rotated, credentials: sent).tokens
        #expect(others?.refresh == RefreshToken(Secret("r2")))
        #expect(try Dialect.oauth2().readLogin(silent, credentials: sent).tokens?.refresh == nil)
    }

    @Test("a client on its own behalf logs in again instead of renewing")
    func clientCredentials() throws {
        let dialect = try Dialect.oauth2("grant = \"client_credentials\"")
        #expect(dialect.policy.renewal == .login)
        #expect(!dialect.hasRefreshToken)
        #expect(dialect.credentials.map(\.name) == ["client_id", "client_secret"])
        #expect(try Dialect.oauth2().policy.renewal == .refresh)
    }
}
