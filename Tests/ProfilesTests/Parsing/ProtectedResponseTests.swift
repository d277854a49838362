import Basics
import Testing

@testable import Profiles

@Suite("Protected and logout answers")
struct ProtectedResponseTests {
    @Test(
        "only what the dialect calls expired rejects the token",
        arguments: [
            Answer("bitbasel", 200, "{}", "accepted"),
            Answer("bitbasel", 204, "", "accepted"),
            Answer("bitbasel", 304, "", "accepted"),
            Answer("bitbasel", 422, "{}", "accepted"),
            Answer("bitbasel", 401, "", "token rejected"),
            Answer("bitbasel", 403, #"{"detail": "Not authenticated"}"#, "inconclusive"),
            Answer(
                "bitbasel",
                403,
                "",
                headers: ["WWW-Authenticate": #"Bearer realm="x", error="invalid_token""#],
                "token rejected"
            ),
            Answer(
                "bitbasel",
                403,
                "",
                headers: ["WWW-Authenticate": #"Bearer error="insufficient_scope""#],
                "inconclusive"
            ),
            Answer("bitbasel", 404, "", "inconclusive"),
            Answer("bitbasel", 302, "", "inconclusive"),
            Answer("bitbasel", 429, "", "inconclusive"),
            Answer("bitbasel", 500, "", "inconclusive"),
            Answer(
                "bitbasel",
                503,
                "",
                headers: ["WWW-Authenticate": #"Bearer error="invalid_token""#],
                "inconclusive"
            ),
            Answer("bitbasel", 200, "<html>Sign in</html>", "inconclusive"),
        ]
    )
    func protected(answer: Answer) throws {
        let dialect = try #require(Dialect.builtIn(named: answer.dialectName))
        let meaning = Meaning(sample: Sample(dialect)).of(dialect.readProtected(answer.response))
        #expect(meaning == answer.meaning)
    }

    @Test("a dialect may say that 403 is an expired token, and which errors are")
    func ownStatuses() throws {
        let dialect = try Dialect.sketch(
            more: """
                [protected]
                request = "GET /me"
                expired = [401, 403]
                expired_errors = "token_expired"
                """
        )
        #expect(dialect.readProtected(WireResponse(status: 403)) == .tokenRejected)
        let challenge = ["WWW-Authenticate": "Bearer error=token_expired"]
        #expect(
            dialect.readProtected(WireResponse(400, json: "", headers: challenge)) == .tokenRejected
        )
    }

    @Test("how long to wait is told along")
    func retryAfter() throws {
        let dialect = try #require(Dialect.builtIn(named: "creatist"))
        let response = WireResponse(503, json: "", headers: ["Retry-After": "120"])
        #expect(dialect.readProtected(response) == .inconclusive(retryAfter: .seconds(120)))
        #expect(
            dialect.readLogout(response) == .failed(status: 503, retryAfter: .seconds(120))
        )
        #expect(
            dialect.readRefresh(response)
                == .failed(.transient(status: 503, message: nil, retryAfter: .seconds(120)))
        )
    }

    @Test("a logout is acknowledged by a success and nothing else", arguments: [200, 204])
    func loggedOut(status: Int) throws {
        let dialect = try #require(Dialect.builtIn(named: "melchat"))
        #expect(
            dialect.readLogout(WireResponse(status: status)) == .acknowledged(status: status)
        )
    }

    @Test("a logout is acknowledged by a status that the profile names, for its scope alone")
    func acknowledged() throws {
        let text = """
            name = "sketch"
            [login]
            request = "POST /login"
            [login.response]
            access = "a"
            [logout.this]
            request = "DELETE /session"
            access_in = "bearer"
            acknowledged = [401, 410]
            [logout.everywhere]
            request = "DELETE /sessions"
            access_in = "bearer"
            """
        let dialect = try Dialect(toml: text, file: "sketch.toml")
        let answer = WireResponse(status: 401)
        #expect(dialect.readLogout(answer) == .acknowledged(status: 401))
        #expect(dialect.readLogout(answer, of: .everywhere) == .tokenUnknown(status: 401))
        #expect(dialect.readLogout(WireResponse(status: 204)) == .acknowledged(status: 204))
    }

    @Test("a logout names its session by a token, or by a value that the login has brought")
    func namesSession() throws {
        for (logout, isNamed) in [
            ("headers = { X-Session-Token = \"{session}\" }", true),
            ("access_in = \"bearer\"", true), ("body = \"none\"", false),
        ] {
            let text = """
                name = "sketch"
                [capture]
                session = "json:meta.session_token"
                [login]
                request = "POST /login"
                [login.response]
                access = "a"
                [logout.this]
                request = "DELETE /session"
                \(logout)
                """
            let dialect = try Dialect(toml: text, file: "sketch.toml")
            #expect(dialect.namesSession(in: .this) == isNamed, "\(logout)")
        }
    }

    @Test(
        "a refusal of the client says nothing of the token that a logout ends",
        arguments: [
            (401, "invalid_client", LogoutResponse.failed(status: 401, retryAfter: nil)),
            (401, "unauthorized_client", .failed(status: 401, retryAfter: nil)),
            (401, "invalid_token", .tokenUnknown(status: 401)),
            (404, "not_found", .tokenUnknown(status: 404)),
        ]
    )
    func clientRefused(status: Int, error: String, meaning: LogoutResponse) throws {
        let response = WireResponse(status, json: #"{"error": "\#(error)"}"#, headers: [:])
        #expect(try Dialect.oauth2().readLogout(response) == meaning)
    }

    @Test("401 and 404 to a logout say that the token is not known", arguments: [401, 404])
    func notKnown(status: Int) throws {
        let dialect = try #require(Dialect.builtIn(named: "melchat"))
        #expect(
            dialect.readLogout(WireResponse(status: status)) == .tokenUnknown(status: status)
        )
    }

    @Test("the list of sessions is read where the dialect has one")
    func sessions() throws {
        let dialect = try #require(Dialect.builtIn(named: "melchat"))
        let facts = [
            SessionFacts(
                id: "s\"1",
                name: "Melchat/2 \"iPhone\"",
                startedAt: 1_767_707_320,
                isCurrent: true
            ),
            SessionFacts(id: "s2", startedAt: 1_767_700_000, isCurrent: false),
        ]
        let listed = facts.map { facts in
            ListedSession(
                id: facts.id,
                name: facts.name,
                startedAt: facts.startedAt,
                isCurrent: facts.isCurrent
            )
        }
        #expect(dialect.readSessions(dialect.answer(.sessions(facts))) == listed)
        #expect(dialect.readSessions(dialect.answer(.sessions([]))) == [])
        #expect(dialect.readSessions(WireResponse(status: 404)) == nil)
        let other = try #require(Dialect.builtIn(named: "creatist"))
        #expect(other.readSessions(dialect.answer(.sessions(facts))) == nil)
    }
}
