import FoundationEssentials
import Profiles
import Testing

@testable import Basics

@Suite("A pasted pair")
struct PastedPairTests {
    private static func pair(_ text: String) throws -> PastedPair {
        let dialect = try #require(Dialect.builtIn(named: "creatist"))
        return try PastedPair(parsing: text, by: dialect)
    }

    @Test(
        "is found in the shapes that users copy",
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

    /// The contents of the key chains of the guides' apps, and the end of the access token in them.
    private static let stored: [(dialect: String, text: String, source: ExpirySource)] = [
        (
            "voltyks",
            """
            accessToken = one-access
            refreshToken = one-refresh
            accessTokenExpiry = 2026-01-06T14:18:40
            refreshTokenExpiry = 2026-01-13T13:48:40
            """, .assumedZone
        ),
        ("bitbasel", "access_token: one-access\nrefresh_token: one-refresh", .assumed),
        (
            "melchat",
            """
            com.melchat.accessToken     → "one-access"
            com.melchat.refreshToken    → "one-refresh"
            com.melchat.tokenExpiresAt  → "2025-12-28T12:00:00Z"
            """, .timestamp
        ),
        (
            "creatist",
            """
            accessToken = one-access
            refreshToken = one-refresh
            tokenExpirationTime = 1767708520.123
            """, .timestamp
        ),
        (
            "intellipost",
            "com.intellipost.accessToken=one-access\r\ncom.intellipost.refreshToken=one-refresh",
            .assumed
        ),
    ]

    @Test("is found under the names of the guides' key chains, in lines", arguments: stored)
    func storedLines(dialect: String, text: String, source: ExpirySource) throws {
        let dialect = try #require(Dialect.builtIn(named: dialect))
        let pair = try PastedPair(parsing: text, by: dialect)
        #expect(pair.tokens.access.secret == Secret("one-access"))
        #expect(pair.tokens.refresh?.secret == Secret("one-refresh"))
        #expect(pair.tokens.accessEvidence.map(\.source) == [source])
    }

    @Test("is found under the same names in JSON", arguments: stored)
    func storedJSON(dialect: String, text: String, source: ExpirySource) throws {
        let members = text.split(whereSeparator: \.isNewline).map { line in
            let separator = line.firstIndex { "=:→".contains($0) } ?? line.startIndex
            let value = PastedPair.bare(line[line.index(after: separator)...])
            return (PastedPair.bare(line[..<separator]), JSONValue.string(value))
        }
        let json = JSONValue.object(Dictionary(uniqueKeysWithValues: members)).serialized
        let dialect = try #require(Dialect.builtIn(named: dialect))
        let pair = try PastedPair(parsing: json, by: dialect)
        #expect(pair.tokens.access.secret == Secret("one-access"))
        #expect(pair.tokens.refresh?.secret == Secret("one-refresh"))
        #expect(pair.tokens.accessEvidence.map(\.source) == [source])
    }

    @Test(
        "is found in a whole record of a React Native key chain",
        arguments: [
            #"{"password": "{\"accessToken\":\"one-access\",\"refreshToken\":\"one-refresh\"}"}"#,
            #"""
            {"server": "intellipost.api", "username": "tokens", "service": "intellipost.api",
             "password": "{\"accessToken\":\"one-access\",\"refreshToken\":\"one-refresh\"}",
             "storage": "keychain"}
            """#,
        ]
    )
    func keyChainRecord(text: String) throws {
        let dialect = try #require(Dialect.builtIn(named: "intellipost"))
        let pair = try PastedPair(parsing: text, by: dialect)
        #expect(pair.tokens.access.secret == Secret("one-access"))
        #expect(pair.tokens.refresh?.secret == Secret("one-refresh"))
    }

    @Test("is not found in a password that is no JSON object")
    func password() throws {
        for text in [#"{"password": "secret"}"#, #"{"password": "[1]"}"#, #"{"password": 1}"#] {
            #expect(throws: PastedPair.Problem.noAccessToken) { try Self.pair(text) }
        }
    }

    @Test("of an older app is an access token alone, and what is empty is absent")
    func legacy() throws {
        let alone = try Self.pair("authToken = one-access\n")
        #expect(alone.tokens.access.secret == Secret("one-access"))
        #expect(alone.tokens.refresh == nil)
        let empty = try Self.pair("accessToken = one-access\naccessTokenExpiry =\nrefreshToken = ")
        #expect(empty.tokens.refresh == nil)
        #expect(empty.tokens.accessEvidence.allSatisfy { $0.source == .assumed })
    }

    @Test("without a zone is read in the one that the access token's own end shows")
    func zone() throws {
        let dialect = try #require(Dialect.builtIn(named: "voltyks"))
        let access = Sample(dialect).access.secret.reveal()
        // Two hours east of what the token says, 14:18:40Z.
        let text = """
            accessToken = \(access)
            refreshToken = one-refresh
            accessTokenExpiry = 2026-01-06T16:18:40
            refreshTokenExpiry = 2026-01-13T15:48:40
            """
        let pair = try PastedPair(parsing: text, by: dialect)
        let end = Sample.issuedAt + 604_800
        #expect(pair.tokens.refreshEvidence == [.inferredZone(Date(timeIntervalSince1970: end))])
    }

    @Test("whose token has an equals sign in it is two lines all the same")
    func padding() throws {
        let pair = try Self.pair("b25lLWFjY2Vzcw==\none-refresh=")
        #expect(pair.tokens.access.secret == Secret("b25lLWFjY2Vzcw=="))
        #expect(pair.tokens.refresh?.secret == Secret("one-refresh="))
    }

    @Test("has no lifetime that counts from an unknown moment")
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
