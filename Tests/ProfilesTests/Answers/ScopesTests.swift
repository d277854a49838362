import Basics
import Testing

@testable import Profiles

@Suite("Scopes")
struct ScopesTests {
    @Test(
        "an answer states them in one text or in a list, with spaces or commas between them",
        arguments: [
            (#"{"scope": "read write"}"#, ["read", "write"]),
            (#"{"scope": "repo,gist"}"#, ["repo", "gist"]),
            (#"{"scopes": ["read", "write"]}"#, ["read", "write"]),
            (#"{"scope": "read", "scopes": ["write"]}"#, ["read"]), (#"{"scope": ""}"#, nil),
            (#"{"scope": 5}"#, nil), (#"{"token": "read"}"#, nil),
        ] as [(String, [String]?)]
    )
    func answers(body: String, scopes: [String]?) throws {
        let json = try #require(JSONValue(parsing: Array(body.utf8)))
        #expect(Scopes.stated(in: json) == scopes)
    }

    @Test("of a long list, 64 are read")
    func limit() {
        let words = (1...100).map { "scope-\($0)" }
        let answer: JSONValue = ["scope": .string(words.joined(separator: " "))]
        #expect(Scopes.stated(in: answer) == Array(words.prefix(64)))
    }

    @Test(
        "those of a login are what its answer states, or else what was asked for",
        arguments: [
            (#","scope":"read""#, ["read"]), ("", ["openid", "read", "write"]),
        ]
    )
    func granted(member: String, scopes: [String]) throws {
        let profile = """
            extends = "oauth2"
            grant = "authorization_code"
            client_auth = "public"
            client_id = "a"
            login.authorize.scope = "openid read write"
            """
        let source = ProfileSource(name: "mine", text: profile, file: "mine.toml")
        let dialect = try Profile(source, known: []) { ProfileSource.builtIn($0) }.dialect
        let body = #"{"access_token":"a-token","token_type":"Bearer"\#(member)}"#
        let answer = WireResponse(status: 200, headers: [.json], body: Array(body.utf8))
        guard case .issued(let tokens) = dialect.readLogin(answer) else {
            Issue.record("no tokens")
            return
        }
        #expect(tokens.statements.scopes == scopes)
    }

    private static let tokens: [(claims: [String: JSONValue], scopes: Set<String>?)] = [
        (["scope": "read write"], ["read", "write"]),
        (["scope": ["read", "write"]], ["read", "write"]),
        (["scp": ["read", "write"]], ["read", "write"]),
        (["scp": "read write"], ["read", "write"]),
        (["scope": "read", "scp": "write"], ["read"]), (["sub": "read"], nil),
    ]

    @Test("a token states them in either claim, whose order means nothing", arguments: tokens)
    func claims(claims: [String: JSONValue], scopes: Set<String>?) {
        #expect(Scopes.claimed(in: claims) == scopes)
    }
}
