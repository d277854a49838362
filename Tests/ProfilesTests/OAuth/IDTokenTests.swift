import Basics
import Testing

@testable import Profiles

@Suite("The claims of an id token")
struct IDTokenTests {
    private static let expected = IDTokenExpectation(
        issuer: "https://id.example.com",
        keys: nil,
        client: "me",
        nonce: Secret("n-1")
    )

    private static func failure(
        of token: Secret,
        hiding secrets: KnownSecrets = .none
    ) -> IDTokenFailure? {
        expected.failure(of: token, at: 1000, hiding: secrets)
    }

    private static func token(_ claims: String) -> Secret {
        let parts = [#"{"alg":"RS256"}"#, claims].map { Base64URL.encode(Array($0.utf8)) }
        return Secret(parts.joined(separator: ".") + ".c2ln")
    }

    /// The claims of a good token, some of them replaced or, if empty, left out.
    private static func claims(_ changes: [String: String]) -> String {
        var claims = [
            "iss": #""https://id.example.com""#, "sub": #""9""#, "aud": #""me""#, "exp": "1000",
            "iat": "400", "nonce": #""n-1""#,
        ]
        claims.merge(changes) { _, change in change }
        let members = claims.filter { !$0.value.isEmpty }.map { "\"\($0.key)\": \($0.value)" }
        return "{\(members.joined(separator: ", "))}"
    }

    @Test(
        "hold for this client's sign-in",
        arguments: [
            [:], ["aud": #"["me"]"#], ["azp": #""me""#],
            ["aud": #"["other", "me"]"#, "azp": #""me""#],
            // Clocks differ by less than a minute.
            ["exp": "941"],
        ]
    )
    func valid(changes: [String: String]) {
        let token = Self.token(Self.claims(changes))
        #expect(Self.failure(of: token) == nil)
    }

    @Test(
        "each rule of OpenID Connect Core section 3.1.3.7 that is broken is named",
        arguments: [
            (["iss": #""https://evil.example""#], .issuer, "https://evil.example"),
            (["iss": #""https://id.example.com/""#], .issuer, "https://id.example.com/"),
            (["iss": ""], .issuer, nil), (["aud": #""other""#], .audience, "other"),
            (["aud": "[]"], .audience, "[]"), (["aud": ""], .audience, nil),
            (["aud": #"["me", "other"]"#], .authorizedParty, nil),
            (["azp": #""other""#], .authorizedParty, "other"), (["exp": "940"], .expiry, "940"),
            (["exp": ""], .expiry, nil), (["exp": #""1000""#], .expiry, "1000"),
            (["nonce": #""n-2""#], .nonce, nil), (["nonce": ""], .nonce, nil),
        ] as [([String: String], IDTokenRule, String?)]
    )
    func broken(changes: [String: String], rule: IDTokenRule, found: String?) {
        let failure = Self.failure(of: Self.token(Self.claims(changes)))
        #expect(failure == IDTokenFailure(rule, found: found))
    }

    @Test("what is no signed web token is refused", arguments: ["", "x", "a.b.c", "e30.e30"])
    func format(text: String) {
        #expect(Self.failure(of: Secret(text))?.rule == .format)
    }

    @Test("what a token states is bounded, and on one line")
    func bounded() {
        let long = String(repeating: "x", count: 5000)
        let token = Self.token(Self.claims(["iss": "\"a\\nb\(long)\""]))
        let found = Self.failure(of: token)?.found ?? ""
        #expect(found.hasPrefix("a b"))
        #expect(found.count <= 400)
    }

    @Test("what a token states is shown without the tokens that came with it")
    func hidden() {
        let token = Self.token(Self.claims(["iss": #""https://h?t=access-1""#]))
        let secrets = KnownSecrets.none.adding([Secret("access-1")])
        let failure = Self.failure(of: token, hiding: secrets)
        #expect(failure == IDTokenFailure(.issuer, found: "https://h?t=‹hidden›"))
    }

    @Test("only a login that names its issuer, or needs the user, expects an id token")
    func expectation() throws {
        let oauth = try #require(Dialect.builtIn(named: "oauth2"))
        #expect(oauth.idTokenExpectation([:], grant: nil) == nil)
        let source = ProfileSource(
            name: "mine",
            text: """
                extends = "oauth2"
                client_id = "me"
                login.id_token = { issuer = "https://h", jwks_uri = "https://h/keys" }
                """,
            file: "mine.toml"
        )
        let profile = try Profile(source, known: []) { ProfileSource.builtIn($0) }
        let expected = try #require(profile.dialect.idTokenExpectation([:], grant: nil))
        #expect(expected.issuer == "https://h")
        #expect(expected.keys == "https://h/keys")
        #expect(expected.client == "me")
    }

    @Test("an id token is among the secrets of a response, wherever it is hidden")
    func secret() throws {
        let oauth = try #require(Dialect.builtIn(named: "oauth2"))
        let response = WireResponse(
            status: 200,
            body: Array(#"{"access_token": "a1", "id_token": "i1"}"#.utf8)
        )
        guard case .issued(let tokens) = oauth.readLogin(response) else {
            Issue.record("no tokens")
            return
        }
        #expect(tokens.idToken?.secret == Secret("i1"))
        #expect(tokens.secrets.contains(Secret("i1")))
        #expect(oauth.tokens(in: response).contains(Secret("i1")))
    }
}
