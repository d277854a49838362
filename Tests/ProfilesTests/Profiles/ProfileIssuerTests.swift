import Testing

@testable import Profiles

@Suite("A profile that names its issuer")
struct ProfileIssuerTests {
    private static let issuer = "https://id.example.com"
    private static let address = issuer + "/.well-known/openid-configuration"

    /// The metadata of a server, without some of its members.
    private func provider(without left: Set<String> = []) throws -> ProviderDescription {
        let members = [
            "issuer": #""\#(Self.issuer)""#,
            "authorization_endpoint": #""https://login.example.com/authorize""#,
            "token_endpoint": #""https://id.example.com/token""#,
            "revocation_endpoint": #""https://id.example.com/revoke""#,
            "userinfo_endpoint": #""https://api.example.com/me""#,
            "grant_types_supported": #"["password", "authorization_code"]"#,
            "code_challenge_methods_supported": #"["S256"]"#,
            "scopes_supported": #"["openid"]"#,
            "token_endpoint_auth_methods_supported": #"["client_secret_post", "none"]"#,
            "authorization_response_iss_parameter_supported": "true",
        ]
        let text = members.filter { !left.contains($0.key) }
            .map { "\"\($0.key)\": \($0.value)" }.joined(separator: ", ")
        return ProviderDescription(
            try ProviderMetadata(parsing: Array("{\(text)}".utf8), of: Self.issuer, isExact: true),
            at: Self.address
        )
    }

    /// The same with further members.
    private func provider(with further: String) throws -> ProviderDescription {
        let text = """
            {"issuer": "\(Self.issuer)",
            "authorization_endpoint": "https://login.example.com/authorize",
            "token_endpoint": "https://id.example.com/token",
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none"], \(further)}
            """
        return ProviderDescription(
            try ProviderMetadata(parsing: Array(text.utf8), of: Self.issuer, isExact: true),
            at: Self.address
        )
    }

    @Test("begins a sign-in with a pushed request if the server requires it")
    func pushed() throws {
        let endpoint = #""pushed_authorization_request_endpoint": "https://id.example.com/par""#
        let required = #", "require_pushed_authorization_requests": true"#
        #expect(
            try profile(Self.own, filledBy: try provider(with: endpoint + required))
                .dialect.pushesAuthorization
        )
        #expect(
            try !profile(Self.own, filledBy: try provider(with: endpoint))
                .dialect.pushesAuthorization
        )
    }

    @Test("ends the provider's session where the metadata say so, also without a revocation")
    func endSession() throws {
        let endpoint = #""end_session_endpoint": "https://login.example.com/logout""#
        let revocation = #", "revocation_endpoint": "https://id.example.com/revoke""#
        for (members, canRevoke) in [(endpoint, false), (endpoint + revocation, true)] {
            let profile = try profile(Self.own, filledBy: try provider(with: members))
            #expect(profile.dialect.endsProviderSession)
            #expect(profile.dialect.logoutScopes == (canRevoke ? [.this] : []))
        }
        let other = try profile(Self.own, filledBy: try provider())
        #expect(!other.dialect.endsProviderSession)
        let disabled = try profile(
            Self.own + "disable = \"logout\"",
            filledBy: try provider(with: endpoint)
        )
        #expect(!disabled.dialect.endsProviderSession)
    }

    @Test("has the endpoints for its certificate, where the server has them")
    func certificate() throws {
        let aliases =
            #""mtls_endpoint_aliases": {"token_endpoint": "https://mtls.example.com/token"}"#
        let lines = Self.own + "client_certificate = \"/tmp/client.pem\""
        let provider = try provider(with: aliases)
        #expect(try profile(lines, filledBy: provider).baseURL == "https://mtls.example.com")
        #expect(try profile(Self.own, filledBy: provider).baseURL == "https://id.example.com")
    }

    private func source(_ lines: String, extends base: String = "oauth2") -> ProfileSource {
        let text = "extends = \"\(base)\"\n\(lines)"
        return ProfileSource(name: "mine", text: text, file: "mine.toml")
    }

    private func profile(
        _ lines: String,
        filledBy provider: ProviderDescription?,
        over others: [ProfileSource] = []
    ) throws -> Profile {
        try Profile(
            source(lines, extends: others.last?.name ?? "oauth2"),
            known: ["oauth2"],
            provider: provider
        ) { name in
            others.first { $0.name == name } ?? ProfileSource.builtIn(name)
        }
    }

    private static let own = "issuer = \"\(issuer)\"\nclient_id = \"me\"\n"

    @Test("is whole with three lines, and shows where each other value is from")
    func whole() throws {
        let profile = try profile(Self.own, filledBy: try provider())
        #expect(profile.issuer == Self.issuer)
        #expect(profile.baseURL == "https://id.example.com")
        #expect(profile.dialect.needsBrowser)
        #expect(profile.dialect.credentials.isEmpty)
        #expect(profile.files == ["mine.toml", "oauth2.toml"])
        for line in [
            "# From oauth2.toml, then \(Self.address), then mine.toml.",
            "# Tokens are sent to https://id.example.com (base_url), "
                + "https://api.example.com (protected, userinfo).",
            "base_url = \"https://id.example.com\"   # from \(Self.address): token_endpoint",
            "client_auth = \"public\"   # from \(Self.address): "
                + "token_endpoint_auth_methods_supported: none",
            "request = \"POST /token\"   # from \(Self.address): token_endpoint",
            "request = \"POST /revoke\"   # from \(Self.address): revocation_endpoint",
            "request = \"GET https://api.example.com/me\"   "
                + "# from \(Self.address): userinfo_endpoint",
            "request = \"GET https://login.example.com/authorize\"   "
                + "# from \(Self.address): authorization_endpoint",
            "scope = \"openid\"   # from \(Self.address): scopes_supported",
            "client_id = \"me\"",
        ] {
            #expect(profile.resolved.split(separator: "\n").contains(line[...]), "\(line)")
        }
    }

    @Test("is what its files say as long as the metadata is not known")
    func unread() throws {
        let profile = try profile(Self.own, filledBy: nil)
        #expect(profile.baseURL == nil)
        #expect(profile.namesBackend)
        #expect(!profile.dialect.needsBrowser)
    }

    @Test(
        "keeps what it says itself",
        arguments: [
            (
                "base_url = \"https://other.example.com\"",
                "base_url = \"https://other.example.com\""
            ),
            ("grant = \"password\"", "grant_type = \"password\""),
            ("client_auth = \"body\"", "client_auth = \"body\""),
            ("protected.request = \"GET /x\"", "request = \"GET /x\""),
            ("login.authorize.scope = \"mail\"", "scope = \"mail\""),
            ("login.request = \"POST /mine\"", "request = \"POST /mine\""),
        ]
    )
    func own(line: String, shown: String) throws {
        let profile = try profile(Self.own + line, filledBy: try provider())
        #expect(profile.resolved.contains(shown), "\(profile.resolved)")
        #expect(!profile.resolved.contains(shown + "   # from"))
    }

    @Test("asks no browser for a password, though the server has an authorization endpoint")
    func password() throws {
        let profile = try profile(Self.own + "grant = \"password\"", filledBy: try provider())
        #expect(!profile.dialect.needsBrowser)
        #expect(profile.dialect.credentials.map(\.name).contains("client_secret"))
    }

    @Test("a client with a secret is not public")
    func confidential() throws {
        let lines = Self.own + "credentials.client_secret_command = [\"pass\", \"x\"]"
        let profile = try profile(lines, filledBy: try provider())
        #expect(profile.dialect.credentials.map(\.name) == ["client_secret"])
    }

    @Test("does not inherit what the server lacks, unless it says it itself")
    func absent() throws {
        let lacking = try provider(without: ["revocation_endpoint", "userinfo_endpoint"])
        let bare = try profile(Self.own, filledBy: lacking)
        #expect(bare.dialect.logoutScopes.isEmpty && !bare.dialect.hasProtectedRequest)
        #expect(bare.resolved.contains("# No logout: the metadata has no revocation_endpoint.\n"))
        #expect(bare.dialect.questions.isEmpty)
        let both = "logout.this.request = \"POST /bye\"\nprotected.request = \"GET /me\""
        let whole = try profile(Self.own + both, filledBy: lacking)
        #expect(whole.dialect.logoutScopes == [.this] && whole.dialect.hasProtectedRequest)
    }

    @Test(
        "disable removes what the metadata fills, and what it does not",
        arguments: [[], ["revocation_endpoint"]]
    )
    func disabled(left: [String]) throws {
        let lines = Self.own + "disable = [\"logout\", \"login.authorize.scope\"]"
        // The scope is no value of the dialect, and is filled for one grant only.
        let profile = try profile(lines, filledBy: try provider(without: Set(left)))
        #expect(profile.dialect.logoutScopes.isEmpty)
        #expect(!profile.resolved.contains("scope ="))
    }

    @Test("the file above the one that names the issuer counts as the profile's own")
    func chain() throws {
        let base = ProfileSource(
            name: "base",
            text: "extends = \"oauth2\"\n" + Self.own,
            file: "base.toml"
        )
        let lines = "grant = \"password\"\nprotected.request = \"GET /x\""
        let profile = try profile(lines, filledBy: try provider(), over: [base])
        #expect(!profile.dialect.needsBrowser)
        #expect(profile.baseURL == "https://id.example.com")
        #expect(profile.dialect.namedOrigins.map(\.exchange) == ["userinfo"])
        let issuer = try ProfileIssuer(of: source(lines, extends: "base"), known: []) { name in
            name == "base" ? base : ProfileSource.builtIn(name)
        }
        #expect(issuer?.profile == "mine")
        #expect(issuer?.error("x").description == "base.toml:2: issuer: x")
    }

    @Test(
        "refuses a text that is no issuer, with its line",
        arguments: [
            "id.example.com", "https://id.example.com?x=1", "https://id.example.com#x", "ftp://h",
            "https://h h",
        ]
    )
    func noIssuer(url: String) {
        #expect(
            throws: DialectError(
                file: "mine.toml",
                line: 2,
                key: "issuer",
                found: "\"\(url)\" is not an issuer",
                expected: "expected one such as https://auth.example.com"
            )
        ) { try profile("issuer = \"\(url)\"", filledBy: nil) }
    }

    @Test("does not repeat a password in the URL")
    func user() {
        let error = #expect(throws: DialectError.self) {
            try profile("issuer = \"https://me:s3cr3t@id.example.com\"", filledBy: nil)
        }
        #expect(error?.description.contains("s3cr3t") == false)
    }

    @Test("the metadata must repeat the issuer exactly, a final slash included")
    func slash() {
        let body = Array(
            #"{"issuer": "https://id.example.com/", "token_endpoint": "https://h"}"#.utf8
        )
        #expect(throws: ProviderMetadataError.otherIssuer("https://id.example.com/")) {
            try ProviderMetadata(parsing: body, of: Self.issuer, isExact: true)
        }
    }

    @Test("metadata of more than 256 KiB is refused")
    func large() {
        let body = [UInt8](repeating: UInt8(ascii: " "), count: ProviderMetadata.sizeLimit + 1)
        #expect(throws: ProviderMetadataError.tooLarge) {
            try ProviderMetadata(parsing: body, of: Self.issuer)
        }
    }
}
