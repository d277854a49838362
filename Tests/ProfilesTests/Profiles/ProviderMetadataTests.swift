import Basics
import Testing

@testable import Profiles

@Suite("A server that describes itself")
struct ProviderMetadataTests {
    private static let issuer = "https://id.example.com/realms/main"
    private static let address = issuer + "/.well-known/openid-configuration"

    private func profile(_ members: String) throws -> String {
        let body = #"{"issuer": "\#(Self.issuer)", \#(members)}"#
        return try ProviderMetadata(parsing: Array(body.utf8), of: Self.issuer)
            .profile(named: "mine", from: Self.address)
    }

    private func parsed(_ text: String) throws -> Profile {
        try Profile(
            ProfileSource(name: "mine", text: text, file: "mine.toml"),
            known: ["oauth2"]
        ) { ProfileSource.builtIn($0) }
    }

    @Test("the metadata has its usual places, of which the path of the issuer is a part")
    func addresses() {
        #expect(
            ProviderMetadata.addresses(of: Self.issuer + "/") == [
                Self.address,
                "https://id.example.com/.well-known/oauth-authorization-server/realms/main",
                "https://id.example.com/.well-known/openid-configuration/realms/main",
            ]
        )
        // https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization
        #expect(
            ProviderMetadata.addresses(of: Self.issuer, isForMCP: true) == [
                "https://id.example.com/.well-known/oauth-authorization-server/realms/main",
                "https://id.example.com/.well-known/openid-configuration/realms/main",
                Self.address,
            ]
        )
        #expect(
            ProviderMetadata.addresses(of: "https://id.example.com") == [
                "https://id.example.com/.well-known/openid-configuration",
                "https://id.example.com/.well-known/oauth-authorization-server",
            ]
        )
    }

    @Test("a document has what only another one of the same issuer states, and nothing else of it")
    func completed() throws {
        let first = #"{"issuer": "a", "token_endpoint": "https://a/1"}"#
        func whole(_ other: String) -> JSONValue? {
            ProviderMetadata.completing(Array(first.utf8), by: Array(other.utf8))
                .flatMap { JSONValue(parsing: $0) }
        }
        let other =
            #"{"issuer": "a", "token_endpoint": "https://a/2", "revocation_endpoint": "https://a/3"}"#
        #expect(
            whole(other) == [
                "issuer": "a", "token_endpoint": "https://a/1",
                "revocation_endpoint": "https://a/3",
            ]
        )
        #expect(whole(other.replacing(#""a","#, with: #""b","#)) == nil)
        #expect(whole(first) == nil && whole("<html>") == nil)
    }

    @Test("each line of the profile names its source, and the profile is valid")
    func whole() throws {
        let text = try profile(
            """
            "token_endpoint": "https://id.example.com/realms/main/token",
            "revocation_endpoint": "https://id.example.com/realms/main/revoke",
            "introspection_endpoint": "https://id.example.com/realms/main/introspect",
            "userinfo_endpoint": "https://api.example.com:8443/userinfo?schema=1",
            "grant_types_supported": ["authorization_code", "client_credentials"],
            "token_endpoint_auth_methods_supported": ["private_key_jwt", "client_secret_post"]
            """
        )
        #expect(
            text == """
                # mine: as https://id.example.com/realms/main/.well-known/openid-configuration states.
                # Check it with `authtop profiles validate mine`.

                extends = "oauth2"
                base_url = "https://id.example.com"   # of token_endpoint

                grant = "client_credentials"   # grant_types_supported
                client_auth = "body"   # token_endpoint_auth_methods_supported

                login.request = "POST /realms/main/token"   # token_endpoint
                refresh.request = "POST /realms/main/token"   # token_endpoint
                logout.this.request = "POST /realms/main/revoke"   # revocation_endpoint
                protected.request = "GET https://api.example.com:8443/userinfo?schema=1"   \
                # userinfo_endpoint
                introspection.request = "POST /realms/main/introspect"   # introspection_endpoint
                userinfo.request = "GET https://api.example.com:8443/userinfo?schema=1"   \
                # userinfo_endpoint

                """
        )
        let dialect = try parsed(text).dialect
        let api = "https://api.example.com:8443"
        #expect(dialect.namedOrigins.map(\.origin) == [api, api])
        #expect(dialect.questions == [.access, .user])
    }

    @Test("a path of the metadata that begins with two slashes is valid as the end of a whole URL")
    func twoSlashes() throws {
        let text = try profile(
            """
            "token_endpoint": "https://id.example.com//oauth/token",
            "userinfo_endpoint": "https://id.example.com//me",
            "grant_types_supported": ["client_credentials"]
            """
        )
        let dialect = try parsed(text).dialect
        let login = try dialect.loginRequest([
            "client_id": Secret("id"), "client_secret": Secret("secret"),
        ])
        #expect(login.origin == "https://id.example.com")
        #expect(login.target == "//oauth/token")
        #expect(throws: DialectError.self) {
            try parsed(text.replacing("POST https://id.example.com", with: "POST "))
        }
    }

    @Test("a client with a certificate has the endpoints for it, but for the browser's")
    func certificate() throws {
        let body = """
            {"issuer": "\(Self.issuer)",
            "authorization_endpoint": "https://id.example.com/authorize",
            "token_endpoint": "https://id.example.com/token",
            "revocation_endpoint": "https://id.example.com/revoke",
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "tls_client_auth"],
            "mtls_endpoint_aliases": {
                "token_endpoint": "https://mtls.example.com/token",
                "authorization_endpoint": "https://mtls.example.com/authorize"
            }}
            """
        let metadata = try ProviderMetadata(parsing: Array(body.utf8), of: Self.issuer)
        let text = try metadata.profile(
            named: "mine",
            from: Self.address,
            client: GivenClient(certificate: "~/client.pem")
        )
        for line in [
            "base_url = \"https://mtls.example.com\"   # of token_endpoint",
            "client_certificate = \"~/client.pem\"   # --client-certificate",
            "client_auth = \"public\"   # token_endpoint_auth_methods_supported: tls_client_auth",
            "login.request = \"POST /token\"   # token_endpoint",
            "logout.this.request = \"POST https://id.example.com/revoke\"   # revocation_endpoint",
            "login.authorize.request = \"GET https://id.example.com/authorize\"   "
                + "# authorization_endpoint",
        ] {
            #expect(text.contains(line + "\n"), "\(line)")
        }
        #expect(try parsed(text).transport.clientCertificate?.certificate == "~/client.pem")
        let other = try metadata.profile(named: "mine", from: Self.address)
        #expect(other.contains("base_url = \"https://id.example.com\""))
        #expect(other.contains("client_auth = \"basic\""))
    }

    @Test("an alias that is no URL is refused as the endpoint is")
    func badAlias() throws {
        let body = """
            {"issuer": "\(Self.issuer)", "token_endpoint": "https://id.example.com/token",
            "mtls_endpoint_aliases": {"token_endpoint": "ftp://mtls.example.com/token"}}
            """
        let metadata = try ProviderMetadata(parsing: Array(body.utf8), of: Self.issuer)
        #expect(throws: ProviderMetadataError.notAURL("token_endpoint")) {
            try metadata.origins()
        }
    }

    @Test("a server that requires pushed requests gets them, and another does not")
    func pushed() throws {
        func members(_ further: String) -> String {
            """
            "authorization_endpoint": "https://id.example.com/authorize",
            "token_endpoint": "https://id.example.com/token",
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none"]\(further)
            """
        }
        let endpoint = """
            , "pushed_authorization_request_endpoint": "https://id.example.com/par"
            """
        let line =
            "login.authorize.pushed.request = \"POST /par\"   "
            + "# pushed_authorization_request_endpoint"
        let required = #", "require_pushed_authorization_requests": true"#
        let text = try profile(members(endpoint + required))
        #expect(text.contains(line))
        #expect(try parsed(text).dialect.pushesAuthorization)
        #expect(try !profile(members(endpoint)).contains("pushed"))
        #expect(
            throws: ProviderMetadataError.missing("pushed_authorization_request_endpoint")
        ) {
            try profile(members(required))
        }
    }

    @Test("with PKCE, the profile has the sign-in with a browser, as a client without a secret")
    func browser() throws {
        let text = try profile(
            """
            "authorization_endpoint": "https://login.example.com/authorize",
            "token_endpoint": "https://id.example.com/token",
            "code_challenge_methods_supported": ["plain", "S256"],
            "grant_types_supported": ["password", "authorization_code"],
            "scopes_supported": ["profile", "offline_access", "openid"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "none"],
            "authorization_response_iss_parameter_supported": true
            """
        )
        for line in [
            "grant = \"authorization_code\"   "
                + "# authorization_endpoint, code_challenge_methods_supported",
            "client_auth = \"public\"   # token_endpoint_auth_methods_supported: none",
            "# client_id = \"…\"   # without it, one of the credentials",
            "login.authorize.request = \"GET https://login.example.com/authorize\"   "
                + "# authorization_endpoint",
            "login.authorize.scope = \"openid offline_access\"   # scopes_supported",
            "login.authorize.issuer = \"\(Self.issuer)\"   "
                + "# authorization_response_iss_parameter_supported",
        ] {
            #expect(text.contains(line), "\(text)")
        }
        let dialect = try parsed(text).dialect
        #expect(dialect.needsBrowser)
        #expect(dialect.credentials.map(\.name) == ["client_id"])
    }

    @Test("the issuer of a server that does not promise to name it is compared where it is named")
    func issuerIfNamed() throws {
        let text = try profile(
            """
            "authorization_endpoint": "https://id.example.com/authorize",
            "token_endpoint": "https://id.example.com/token",
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": false
            """
        )
        #expect(text.contains("login.authorize.issuer_if_named = \"\(Self.issuer)\"   # issuer\n"))
        #expect(!text.contains("login.authorize.issuer = "))
        #expect(try parsed(text).dialect.needsBrowser)
    }

    @Test(
        "without S256 there is no sign-in with a browser, and one is assumed if there is no other way",
        arguments: [
            (#""code_challenge_methods_supported": ["plain"],"#, false),
            (#""grant_types_supported": ["authorization_code", "password"],"#, false), ("", true),
        ]
    )
    func withoutPKCE(members: String, isAssumed: Bool) throws {
        let text = try profile(
            """
            \(members) "authorization_endpoint": "https://id.example.com/authorize",
            "token_endpoint": "https://id.example.com/token"
            """
        )
        #expect(try parsed(text).dialect.needsBrowser == isAssumed)
        #expect(text.contains("assumed: there is no code_challenge_methods_supported") == isAssumed)
    }

    @Test("what the document does not have is assumed and marked, or left out")
    func least() throws {
        let text = try profile(#""token_endpoint": "https://id.example.com""#)
        #expect(text.contains("grant = \"refresh_token\"   # assumed: "))
        #expect(text.contains("client_auth = \"basic\"   # token_endpoint_auth_methods_supported"))
        #expect(
            text.contains(
                "disable = [\"logout\", \"protected\", \"introspection\", \"userinfo\"]   "
                    + "# the document has no revocation_endpoint, introspection_endpoint, "
                    + "userinfo_endpoint"
            )
        )
        let dialect = try parsed(text).dialect
        #expect(dialect.logoutScopes.isEmpty && !dialect.hasProtectedRequest)
        #expect(dialect.questions.isEmpty)
    }

    @Test(
        "a document that does not describe the server is refused",
        arguments: [
            ("[]", ProviderMetadataError.notAnObject), ("{", .notAnObject),
            ("{}", .missing("issuer")),
            (#"{"issuer": "https://evil.example"}"#, .otherIssuer("https://evil.example")),
            (#"{"issuer": "https://id.example.com/realms/main"}"#, .missing("token_endpoint")),
        ]
    )
    func unusable(body: String, error: ProviderMetadataError) {
        #expect(throws: error) {
            try ProviderMetadata(parsing: Array(body.utf8), of: Self.issuer)
        }
    }

    @Test(
        "an endpoint that is no URL is refused",
        arguments: [
            "/token", "ftp://h/token", "https://", "https:///token", "https://me@h/token",
            "https://h/to ken", "https://h/token#x", "https://h/\u{7F}",
        ]
    )
    func endpoint(url: String) {
        #expect(throws: ProviderMetadataError.notAURL("token_endpoint")) {
            try profile(#""token_endpoint": "\#(url)""#)
        }
    }
}
