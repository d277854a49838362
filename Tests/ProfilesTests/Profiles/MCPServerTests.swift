import Basics
import Testing

@testable import Profiles

@Suite("An MCP server that describes itself")
struct MCPServerTests {
    private static let url = "https://api.example.com/mcp"
    private static let place = "https://api.example.com/.well-known/oauth-protected-resource"

    private static func resource(
        _ members: String = "\"scopes_supported\": [\"read\", \"write\"],",
        of url: String = url
    ) throws -> ProtectedResource {
        let body = """
            {"resource": "\(Self.url)", \(members)
            "authorization_servers": ["https://id.example.com"]}
            """
        return try ProtectedResource(parsing: Array(body.utf8), of: url)
    }

    private static func metadata(_ members: String) throws -> ProviderMetadata {
        let body = """
            {"issuer": "https://id.example.com", \(members)
            "authorization_endpoint": "https://id.example.com/authorize",
            "token_endpoint": "https://id.example.com/token",
            "registration_endpoint": "https://id.example.com/register",
            "revocation_endpoint": "https://id.example.com/revoke",
            "grant_types_supported": ["authorization_code", "refresh_token"]}
            """
        return try ProviderMetadata(
            parsing: Array(body.utf8),
            of: "https://id.example.com",
            isExact: true
        )
    }

    private static let pkce = #""code_challenge_methods_supported": ["S256"],"#
    private static let open = pkce + #""token_endpoint_auth_methods_supported": ["none"],"#

    private static func profile(
        _ members: String = open,
        scope: String? = nil,
        client: GivenClient = GivenClient(freePort: 20_123)
    ) throws -> String {
        let server = MCPServer(
            url: url,
            resource: try resource(),
            at: place + "/mcp",
            scope: scope
        )
        return try metadata(members).profile(
            named: "mine",
            from: "https://id.example.com/.well-known/oauth-authorization-server",
            client: client,
            for: server
        )
    }

    private static func dialect(_ text: String) throws -> Dialect {
        try Profile.extending(lines: text).dialect
    }

    @Test("the places of its metadata are that of its URL, and that of its host")
    func places() {
        typealias Place = ProtectedResource.Place
        #expect(
            ProtectedResource.places(of: Self.url) == [
                Place(address: Self.place + "/mcp", resource: Self.url),
                Place(address: Self.place, resource: "https://api.example.com"),
            ]
        )
        for root in ["https://api.example.com", "https://api.example.com/"] {
            #expect(
                ProtectedResource.places(of: root) == [
                    Place(address: Self.place, resource: "https://api.example.com")
                ]
            )
        }
        let named = "https://other.example.com/metadata"
        #expect(
            ProtectedResource.places(of: Self.url, namedBy: named) == [
                Place(address: named, resource: Self.url)
            ]
        )
        #expect(
            ProtectedResource.places(of: Self.url + "?tenant=1").first?.address
                == Self.place + "/mcp?tenant=1"
        )
    }

    @Test("a challenge names its metadata and the scope")
    func challenge() {
        let response = WireResponse(
            status: 401,
            headers: [
                WireHeader(
                    "WWW-Authenticate",
                    "Bearer scope=\"read write\", resource_metadata=\"\(Self.place)/mcp\""
                )
            ]
        )
        #expect(MCPServer.metadataAddress(in: response) == Self.place + "/mcp")
        #expect(MCPServer.scope(in: response) == "read write")
        #expect(MCPServer.metadataAddress(in: WireResponse(status: 401)) == nil)
    }

    @Test(
        "metadata of another resource is refused",
        arguments: [
            "https://api.example.com/other", "https://api.example.com/mcp/",
            "https://api.example.com", "https://evil.example/mcp", "http://api.example.com/mcp",
        ]
    )
    func otherResource(url: String) {
        #expect(throws: ProviderMetadataError.otherResource(Self.url)) {
            try Self.resource(of: url)
        }
    }

    @Test("a host with a slash after it is the same resource")
    func root() throws {
        let body = #"{"resource": "https://h/", "authorization_servers": ["https://id.example"]}"#
        let resource = try ProtectedResource(parsing: Array(body.utf8), of: "https://h")
        #expect(resource.url == "https://h/")
    }

    @Test(
        "a document without what a client needs is refused",
        arguments: [
            ("[]", ProviderMetadataError.notAnObject), ("{}", .missing("resource")),
            (#"{"resource": "https://api.example.com/mcp"}"#, .missing("authorization_servers")),
            (
                #"{"resource": "https://api.example.com/mcp", "authorization_servers": []}"#,
                .missing("authorization_servers")
            ),
        ]
    )
    func unusable(body: String, error: ProviderMetadataError) {
        #expect(throws: error) {
            try ProtectedResource(parsing: Array(body.utf8), of: Self.url)
        }
    }

    @Test("its profile logs in with a browser for the resource, as a client that is registered")
    func whole() throws {
        let text = try Self.profile()
        let dialect = try Self.dialect(text)
        #expect(dialect.resource == Self.url)
        #expect(dialect.registersClient && dialect.needsBrowser)
        #expect(dialect.login.authorization?.scope == "read write")
        #expect(dialect.redirectLocation?.port == 20_123)
        #expect(dialect.logoutScopes == [.this])
        let request = dialect.protectedRequest(AccessToken(Secret("token")))
        #expect(request.method == "POST" && request.fullTarget == Self.url)
        #expect(request.header("Accept") == "application/json, text/event-stream")
        #expect(request.header("Authorization") == "Bearer token")
        let body = try #require(JSONValue(parsing: request.body))
        #expect(body == JSONValue(parsing: MCPServer.question.body))
        #expect(body["method"] == "initialize" && body["jsonrpc"] == "2.0")
        #expect(text.contains("# The resource is as \(Self.place)/mcp states."))
        let port = "login.authorize.redirect_port = 20123   # registered with the client"
        #expect(text.contains(port), "\(text)")
    }

    @Test(
        "the scope is that of the challenge, with what brings a refresh token if that is offered",
        arguments: [
            (nil, "", "read write"), ("read", "", "read"),
            ("read", #""scopes_supported": ["openid", "offline_access"],"#, "read offline_access"),
            ("offline_access", #""scopes_supported": ["offline_access"],"#, "offline_access"),
        ]
    )
    func scope(challenged: String?, members: String, scope: String) throws {
        let text = try Self.profile(Self.pkce + members, scope: challenged)
        #expect(try Self.dialect(text).login.authorization?.scope == scope)
    }

    @Test(
        "a registered client has no secret if it needs none, or else sends it in the body if it may",
        arguments: [
            (#"["client_secret_basic", "client_secret_post", "none"]"#, "public"),
            (#"["client_secret_basic", "client_secret_post"]"#, "body"),
            (#"["client_secret_basic"]"#, "basic"),
        ]
    )
    func clientAuthentication(methods: String, setting: String) throws {
        let members = Self.pkce + "\"token_endpoint_auth_methods_supported\": \(methods),"
        let text = try Self.profile(members)
        #expect(text.contains("client_auth = \"\(setting)\""), "\(text)")
    }

    @Test("a client whose id the user says is not registered")
    func clientID() throws {
        let client = GivenClient(id: "app", redirectPort: 4711, freePort: 20_123)
        let dialect = try Self.dialect(try Self.profile(client: client))
        #expect(!dialect.registersClient && dialect.credentials.isEmpty)
        #expect(dialect.redirectLocation?.port == 4711)
    }

    @Test("the URL of a client's metadata is its id where the server reads it, and only there")
    func clientDocument() throws {
        let client = GivenClient(id: "https://app.example.com/client.json")
        #expect(throws: ProviderMetadataError.withoutClientDocuments) {
            try Self.profile(client: client)
        }
        let text = try Self.profile(
            Self.pkce + #""client_id_metadata_document_supported": true,"#,
            client: client
        )
        let dialect = try Self.dialect(text)
        #expect(!dialect.registersClient && dialect.credentials.isEmpty)
        let form = String(decoding: try dialect.loginRequest([:]).body, as: UTF8.self)
        #expect(FormEncoding.decode(form)["client_id"] == client.id)
    }

    @Test(
        "a login without PKCE is refused",
        arguments: ["", #""code_challenge_methods_supported": ["plain"],"#]
    )
    func withoutPKCE(members: String) {
        #expect(throws: ProviderMetadataError.withoutPKCE) { try Self.profile(members) }
    }
}
