import Basics
import Profiles
import Testing

@Suite("Grants with a token of another issuer")
struct AssertionGrantTests {
    private func body(_ grant: String, _ lines: String, _ values: [String: String]) throws -> String
    {
        let dialect = try Dialect.oauth2(
            "client_auth = \"public\"\nclient_id = \"me\"\ngrant = \"\(grant)\"\n\(lines)"
        )
        #expect(!dialect.hasRefreshToken)
        let request = try dialect.loginRequest(values.mapValues { Secret($0) })
        #expect(request.header("Content-Type") == "application/x-www-form-urlencoded")
        let sent = values.merging(["client_id": "me"]) { own, _ in own }.mapValues { Secret($0) }
        #expect(dialect.recognize(request) == .login(credentials: sent))
        return String(decoding: request.body, as: UTF8.self)
    }

    @Test("a token is exchanged as the example of RFC 8693 section 2.3 has it")
    func exchange() throws {
        let body = try body(
            "token_exchange",
            "login.fields.resource = \"https://backend.example.com/api\"",
            ["subject_token": "accVkjcJyb4BWCxGsndESCJQbdFMogUC5PbRDqceLTC"]
        )
        #expect(
            body == "client_id=me"
                + "&grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange"
                + "&resource=https%3A%2F%2Fbackend.example.com%2Fapi"
                + "&subject_token=accVkjcJyb4BWCxGsndESCJQbdFMogUC5PbRDqceLTC"
                + "&subject_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aaccess_token"
        )
    }

    @Test("an assertion is presented as the example of RFC 7523 section 2.1 has it")
    func assertion() throws {
        let body = try body(
            "jwt_bearer",
            "",
            ["assertion": "eyJhbGciOiJFUzI1NiIsImtpZCI6IjE2In0.e.J9l"]
        )
        #expect(
            body == "assertion=eyJhbGciOiJFUzI1NiIsImtpZCI6IjE2In0.e.J9l&client_id=me"
                + "&grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"
        )
    }

    @Test("an assertion that the client signs has the claims of section 3, and is no credential")
    func signed() throws {
        let dialect = try Dialect.oauth2(
            """
            grant = "jwt_bearer"
            client_auth = "none"
            client_assertion.key = "/k.pem"
            login.request = "POST /oauth/token?x=1"
            login.assertion = { issuer = "robot", scope = "read" }
            """
        )
        #expect(dialect.needsSigningKey && dialect.assertionSigners.isEmpty)
        #expect(dialect.credentials.isEmpty)
        let grant = try dialect.unsignedGrant([:], at: "https://a.example", now: 7.5, id: "n-1")
        #expect(
            grant?.claims == [
                "iss": "robot", "sub": "robot", "aud": "https://a.example/oauth/token",
                "scope": "read", "jti": "n-1", "iat": .integer(7), "exp": .integer(67),
            ]
        )
        let request = try dialect.loginRequest(["assertion": Secret("e.y.J")])
        #expect(String(decoding: request.body, as: UTF8.self).hasPrefix("assertion=e.y.J&"))
    }

    @Test("an assertion that the client signs is for its own id and the login unless stated")
    func signedFor() throws {
        let dialect = try Dialect.oauth2(
            """
            grant = "jwt_bearer"
            client_id = "me"
            client_assertion.key = "/k.pem"
            login.assertion = { subject = "you", audience = "https://id.example" }
            """
        )
        let grant = try dialect.unsignedGrant([:], at: "https://a.example", now: 0, id: "n-1")
        let claims = try #require(grant?.claims)
        #expect(claims["iss"] == "me" && claims["sub"] == "you")
        #expect(claims["aud"] == "https://id.example")
        #expect(claims["scope"] == nil)
    }

    @Test("an assertion that the client signs needs a key, and a place in the login")
    func signingMistakes() {
        let table = "[login.assertion]\nsubject = \"you\""
        let used = Mistake.soundLogin.replacing(
            "fields = { email = \"{email}\" }",
            with: "fields = { email = \"{email}\", assertion = \"{assertion}\" }"
        )
        Mistake(
            "\(used)\n\(table)",
            "mine.toml:2: login: assertion without a private key, "
                + "expected client_assertion.key = \"~/client.pem\""
        ).expectNamed()
        Mistake(
            "\(Mistake.soundLogin)\n\(table)",
            "mine.toml:9: login.assertion: {assertion} is not used, "
                + "expected it in fields, as with grant = \"jwt_bearer\""
        ).expectNamed()
    }

    @Test("the token itself is not in a file")
    func mistake() {
        Mistake(
            Mistake.soundLogin.replacing(
                "fields = { email = \"{email}\" }",
                with: "fields = { email = \"{email}\", subject_token = \"abc\" }"
            ),
            "mine.toml:5: login.fields.subject_token: a secret, which must not be in a file, "
                + "expected a placeholder such as {subject_token}"
        ).expectNamed()
    }
}
