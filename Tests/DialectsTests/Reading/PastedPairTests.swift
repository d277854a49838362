import Dialects
import Testing
import Tokens

@Suite("A pasted pair")
struct PastedPairTests {
    private static func pair(_ text: String) throws -> PastedPair {
        let dialect = try #require(Dialect.builtIn(named: "creatist"))
        return try PastedPair(parsing: text, by: dialect)
    }

    @Test(
        "is found in the shapes that people copy",
        arguments: [
            "one-access\none-refresh\n",
            "Bearer one-access\r\n\"one-refresh\"",
            "  'one-access',\n\n  'one-refresh'  ",
            #"{"access_token": "one-access", "refresh_token": "one-refresh"}"#,
            #"{"accessToken": "Bearer one-access", "refreshToken": "one-refresh"}"#,
            #"{"data": {"token": "one-access", "refresh": "one-refresh"}}"#,
            #"{"data": {"session": {"jwt": "one-access", "refresh": "one-refresh"}}}"#,
            #"{"tokens": {"access": "one-access", "refresh": "one-refresh"}}"#,
        ]
    )
    func shapes(text: String) throws {
        let pair = try Self.pair(text)
        #expect(pair.tokens.access.secret == Secret("one-access"))
        #expect(pair.tokens.refresh?.secret == Secret("one-refresh"))
    }

    @Test("has no lifetime that counts from nobody knows when")
    func lifetime() throws {
        let text = #"{"access_token": "one-access", "refresh_token": "b", "expires_in": 60}"#
        let pair = try Self.pair(text)
        #expect(pair.hasLifetime)
        #expect(pair.tokens.accessEvidence.allSatisfy { $0.source == .assumed })
    }

    @Test("keeps an absolute time, in seconds or milliseconds", arguments: ["", "000"])
    func instant(zeros: String) throws {
        let pair = try Self.pair(#"{"token": "one-access", "expires_at": 1800000000\#(zeros)}"#)
        #expect(pair.tokens.accessEvidence.map(\.source) == [.timestamp])
    }

    @Test(
        "that is none is told without a part of it",
        arguments: [
            ("", PastedPair.Problem.empty),
            (" \n", .empty),
            ("{}", .noAccessToken),
            ("[\"a\"]", .noAccessToken),
            ("a\nb\nc", .noAccessToken),
            ("two words\nb", .unusable(token: "access")),
            ("a\nb\u{7}", .unusable(token: "refresh")),
        ]
    )
    func problems(text: String, problem: PastedPair.Problem) {
        #expect(throws: problem) { try Self.pair(text) }
    }
}
