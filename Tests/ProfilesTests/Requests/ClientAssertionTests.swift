import Basics
import Testing

@testable import Profiles

@Suite("Assertions that authenticate the client (RFC 7523 section 2.2)")
struct ClientAssertionTests {
    private static let key = "client_auth = \"private_key_jwt\"\nclient_assertion.key = \"/k.pem\""

    private func form(_ request: WireRequest?) throws -> [String: String] {
        FormEncoding.decode(String(decoding: try #require(request).body, as: UTF8.self))
    }

    @Test(
        "each request of the client sends one, with the type and the client's id",
        arguments: [
            ("private_key_jwt", "client_assertion"),
            ("client_secret_jwt", "client_secret_assertion"),
        ]
    )
    func everywhere(method: String, value: String) throws {
        let dialect = try Dialect.oauth2(
            """
            grant = "device_code"
            client_id = "me"
            client_auth = "\(method)"
            client_assertion.key = "/k.pem"
            """
        )
        let sample = Sample(dialect)
        let values = [
            value: Secret("eyJh.eyJp.c2ln"), "client_secret": Secret("gX1fBat3bV"),
        ]
        let grant = AuthorizationGrant(deviceCode: Secret("GmRh"))
        let requests = [
            try dialect.loginRequest(values, grant: grant),
            try dialect.deviceRequest(values),
            dialect.refreshRequest(sample.refresh, credentials: values),
            dialect.logoutRequest(
                .this,
                refresh: sample.refresh,
                access: nil,
                credentials: values
            ),
            dialect.questionRequest(.access, about: sample.access.secret, credentials: values),
        ]
        for request in requests {
            let form = try form(request)
            #expect(form["client_assertion"] == "eyJh.eyJp.c2ln")
            #expect(
                form["client_assertion_type"]
                    == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
            )
            #expect(form["client_id"] == "me")
            #expect(form["client_secret"] == nil)
            #expect(request?.header("Authorization") == nil)
        }
    }

    @Test("the claims are those of section 3, for the token endpoint and for a minute")
    func claims() throws {
        let dialect = try Dialect.oauth2("client_id = \"me\"\n\(Self.key)")
        let token = try dialect.unsignedAssertion(
            [:],
            at: "https://id.example.com/realm",
            now: 1_700_000_000.9,
            id: "n-1"
        )
        #expect(
            token.claims == [
                "iss": "me", "sub": "me", "aud": "https://id.example.com/realm/token",
                "jti": "n-1", "iat": .integer(1_700_000_000), "exp": .integer(1_700_000_060),
            ]
        )
        #expect(dialect.credentials.map(\.name) == ["username", "password"])
    }

    @Test(
        "the audience is what the file says, or else the token endpoint at its own host",
        arguments: [
            ("client_assertion.audience = \"https://id.example.com\"", "https://id.example.com"),
            (
                "refresh.request = \"POST https://t.example.com/t?x=1\"", "https://t.example.com/t"
            ),
        ]
    )
    func audience(line: String, audience: String) throws {
        let dialect = try Dialect.oauth2("client_id = \"me\"\n\(Self.key)\n\(line)")
        let token = try dialect.unsignedAssertion([:], at: "https://a.example", now: 0, id: "n-1")
        #expect(token.claims["aud"] == .string(audience))
    }

    @Test("the secret signs with HS256, in the compact form")
    func secret() {
        let token = UnsignedToken(header: ["typ": "JWT"], claims: ["iss": "joe"])
            .signed(with: Secret("a secret of 32 bytes or more, for HS256"))
        #expect(
            token.reveal() == "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJqb2UifQ."
                + "fFtZqUo6XIE5-fCaML8VwWR2lA-ygc12g00CdwAKce0"
        )
    }

    @Test("a private key's path is required, and is no relative one")
    func mistakes() {
        Mistake(
            Mistake.soundLogin.replacing(
                "[login]",
                with: "client_auth = \"private_key_jwt\"\n[login]"
            ),
            "mine.toml:2: client_auth: private_key_jwt without a private key, "
                + "expected client_assertion.key = \"~/client.pem\""
        ).expectNamed()
        Mistake(
            Mistake.soundLogin + "[client_assertion]\nkey = \"client.pem\"",
            "mine.toml:9: client_assertion.key: found \"client.pem\", "
                + "expected a path that begins with / or ~/"
        ).expectNamed()
        Mistake(
            Mistake.soundLogin + "[client_assertion]\nkid = \"\"",
            "mine.toml:9: client_assertion.kid: found \"\", expected printable ASCII"
        ).expectNamed()
    }
}
