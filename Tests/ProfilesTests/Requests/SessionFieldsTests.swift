import Basics
import Testing

@testable import Profiles

@Suite("What a request of another program is sent with")
struct SessionFieldsTests {
    private static let token = AccessToken(Secret("t0ken"))

    private static func dialect(_ tables: String) throws -> Dialect {
        let text = """
            name = "sketch"
            [login]
            request = "POST /login"
            credentials = ["password"]
            fields = { password = "{password}" }
            [login.response]
            access = "a"
            \(tables)
            """
        return try Dialect(toml: text, file: "sketch.toml")
    }

    private static func lines(_ headers: [WireHeader]) -> [String] {
        headers.map { "\($0.name): \($0.value)" }
    }

    @Test(
        "has the token where the protected request has it, and fixed fields as defaults",
        arguments: [
            ("", ["Authorization: Bearer t0ken"], []),
            (
                """
                [protected]
                request = "GET /me"
                token_in = "header:X-Session"
                headers = { apikey = "k", Content-Type = "application/json" }
                """,
                ["X-Session: t0ken"], ["apikey: k"]
            ),
            (
                """
                [protected]
                request = "GET /me"
                token_in = "cookie:sid"
                """,
                ["Cookie: sid=t0ken"], []
            ),
        ]
    )
    func places(tables: String, replacing: [String], defaults: [String]) throws {
        let dialect = try Self.dialect(tables)
        let fields = dialect.sessionFields(Self.token, path: "/x")
        #expect(Self.lines(fields.replacing) == replacing)
        #expect(Self.lines(fields.defaults) == defaults)
        #expect(fields.query == nil && fields.problem == nil && fields.proof == nil)
        #expect(dialect.carriesTokenOutsideBody)
    }

    @Test("has the token where the feed has it if it is the request for the feed")
    func feed() throws {
        let dialect = try Self.dialect(
            """
            [feed]
            path = "/ws/feed"
            token_in = "query:token"
            """
        )
        let feed = dialect.sessionFields(Self.token, path: "/ws/feed")
        #expect(feed.query == "token=t0ken")
        #expect(feed.replacing.isEmpty)
        let other = dialect.sessionFields(Self.token, path: "/me")
        #expect(other.query == nil)
        #expect(Self.lines(other.replacing) == ["Authorization: Bearer t0ken"])
    }

    @Test("has the fields of a repetition if it is one")
    func retry() throws {
        let dialect = try #require(Dialect.builtIn(named: "voltyks"))
        let first = dialect.sessionFields(Self.token, path: "/x")
        let again = dialect.sessionFields(Self.token, path: "/x", isRetry: true)
        #expect(first.defaults.isEmpty)
        #expect(Self.lines(again.defaults) == ["Authorization-Retry: true"])
    }

    @Test("is not there for a token in the body")
    func body() throws {
        let dialect = try Self.dialect(
            """
            [protected]
            request = "POST /me"
            token_in = "json:token"
            """
        )
        #expect(!dialect.carriesTokenOutsideBody)
    }

    @Test("shows no token when it is described")
    func described() throws {
        let fields = try Self.dialect("").sessionFields(Self.token, path: "/x")
        #expect(!"\(fields)".contains("t0ken"))
        #expect(!String(reflecting: fields).contains("t0ken"))
        var dumped = ""
        dump(fields, to: &dumped)
        #expect(!dumped.contains("t0ken"))
    }
}
