import Backend
import Model
import Testing

@testable import Basics
@testable import Profiles
@testable import Sandbox

@Suite("Sandbox: an MCP server")
struct MCPTests {
    private static func post(
        _ target: String,
        _ body: JSONValue,
        token: AccessToken? = nil
    ) -> WireRequest {
        let bearer = token.map { WireHeader("Authorization", "Bearer \($0.secret.reveal())") }
        return WireRequest(
            method: "POST",
            target: target,
            headers: [.json] + [bearer].compactMap(\.self),
            body: Array(body.serialized.utf8)
        )
    }

    @Test("says without a token where it is described, and which server issues its tokens")
    func discovery() async throws {
        try await withSandbox { sandbox in
            let server = "http://127.0.0.1:\(sandbox.port)/oauth2/mcp"
            let refused = try await sandbox.send(Self.post("/oauth2/mcp", ["id": 1]))
            #expect(refused.status == 401)
            let address = try #require(MCPServer.metadataAddress(in: refused))
            let origin = "http://127.0.0.1:\(sandbox.port)"
            #expect(address == origin + "/.well-known/oauth-protected-resource/oauth2/mcp")
            let document = try await sandbox.get(String(address.dropFirst(origin.count)))
            let resource = try ProtectedResource(parsing: document.body, of: server)
            #expect(resource.servers == [origin + "/oauth2"])
            for place in ProviderMetadata.addresses(of: resource.servers[0]).prefix(2) {
                let metadata = try await sandbox.get(String(place.dropFirst(origin.count)))
                #expect(metadata.status == 200, "\(place)")
                _ = try ProviderMetadata(
                    parsing: metadata.body,
                    of: resource.servers[0],
                    isExact: true
                )
            }
        }
    }

    @Test("answers a message with a token by a result, and another one as without")
    func messages() async throws {
        let oauth2 = try dialect("oauth2")
        try await withSandbox { sandbox in
            let tokens = try await sandbox.login(oauth2)
            let message: JSONValue = ["jsonrpc": "2.0", "id": 7, "method": "initialize"]
            let answer = try await sandbox.send(
                Self.post("/oauth2/mcp", message, token: tokens.access)
            )
            #expect(answer.status == 200)
            let body = try #require(JSONValue(parsing: answer.body))
            #expect(body["id"] == 7 && body["result"]?["serverInfo"] != nil)
            let other = AccessToken(Secret("other"))
            let refused = try await sandbox.send(Self.post("/oauth2/mcp", message, token: other))
            #expect(refused.status == 401 && MCPServer.metadataAddress(in: refused) != nil)
        }
    }

    @Test("registers every client as the one that it has, with a secret if it needs one")
    func registration() async throws {
        try await withSandbox { sandbox in
            func register(_ body: JSONValue) async throws -> (status: Int, body: JSONValue?) {
                let answer = try await sandbox.send(Self.post("/oauth2/register", body))
                return (answer.status, JSONValue(parsing: answer.body))
            }
            let redirects: JSONValue = ["http://127.0.0.1:4711/callback"]
            let open = try await register(
                ["redirect_uris": redirects, "token_endpoint_auth_method": "none"]
            )
            #expect(open.status == 201 && open.body?["client_id"] == "sandbox")
            #expect(open.body?["client_secret"] == nil)
            let secret = try await register(["redirect_uris": redirects])
            #expect(secret.body?["client_secret"] == "secret")
            #expect(secret.body?["token_endpoint_auth_method"] == "client_secret_basic")
            #expect(try await register(["redirect_uris": []]).status == 400)
        }
    }

    /// The documents on the resource and on its authorization server, read as a client reads them.
    private static func discover(at sandbox: RunningSandbox) async throws {
        let origin = "http://127.0.0.1:\(sandbox.port)"
        let document = try await sandbox.get("/.well-known/oauth-protected-resource/oauth2/mcp")
        _ = try ProtectedResource(parsing: document.body, of: origin + "/oauth2/mcp")
        let metadata = try await sandbox.get("/.well-known/oauth-authorization-server/oauth2")
        let provider = try ProviderMetadata(
            parsing: metadata.body,
            of: origin + "/oauth2",
            isExact: true
        )
        let server = MCPServer(
            url: origin + "/oauth2/mcp",
            resource: try ProtectedResource(parsing: document.body, of: origin + "/oauth2/mcp"),
            at: origin,
            scope: nil
        )
        _ = try provider.profile(named: "mine", from: origin, for: server)
    }

    @Test(
        "metadata that a fault changes are refused once, and are as they should be again",
        arguments: [
            (Fault.wrongResource, ProviderMetadataError.otherResource("https://other.invalid/mcp")),
            (.wrongIssuer, .otherIssuer("https://other.invalid")), (.missingPKCE, .withoutPKCE),
        ]
    )
    func lies(fault: Fault, error: ProviderMetadataError) async throws {
        let configuration = SandboxConfiguration(faults: [FaultSetting(fault, .next(1))])
        try await withSandbox(configuration) { sandbox in
            await #expect(throws: error) { try await Self.discover(at: sandbox) }
            try await Self.discover(at: sandbox)
            #expect(try await sandbox.state().faultsFired == [fault.name: 1])
        }
    }

    @Test("a registration that a fault refuses says why, and the next one succeeds")
    func unregistered() async throws {
        let faults = [FaultSetting(.refusedRegistration, .next(1))]
        try await withSandbox(SandboxConfiguration(faults: faults)) { sandbox in
            let request = Self.post(
                "/oauth2/register",
                ["redirect_uris": ["http://127.0.0.1:4711/callback"]]
            )
            let refused = try await sandbox.send(request)
            #expect(refused.status == 400)
            let body = JSONValue(parsing: refused.body)
            #expect(body?["error"] == "invalid_client_metadata")
            #expect(try await sandbox.send(request).status == 201)
        }
    }

    /// Logs in with a browser for the server, and returns the answer to the request for the tokens.
    private static func login(at sandbox: RunningSandbox) async throws -> WireResponse {
        let verifier = CodeVerifier(random: Array(repeating: 9, count: 32))
        let server = "http://127.0.0.1:\(sandbox.port)/oauth2/mcp"
        let redirect = "http://127.0.0.1:4711/callback"
        let query = FormEncoding.encode([
            (name: "response_type", value: "code"), ("client_id", "sandbox"),
            ("redirect_uri", redirect), ("code_challenge", verifier.challenge),
            ("code_challenge_method", "S256"), ("resource", server), ("scope", "read"),
            ("sandbox", "approve"),
        ])
        let redirected = try await sandbox.get("/oauth2/authorize?\(query)")
        let target = try #require(redirected.header("Location"))
        let code = WireRequest(method: "GET", target: target).queryItems["code"] ?? ""
        return try await Self.token(
            [
                (name: "grant_type", value: "authorization_code"), ("code", code),
                ("code_verifier", verifier.secret.reveal()), ("client_id", "sandbox"),
                ("redirect_uri", redirect), ("resource", server),
            ],
            at: sandbox
        )
    }

    private static func token(
        _ fields: [(name: String, value: String)],
        at sandbox: RunningSandbox
    ) async throws -> WireResponse {
        try await sandbox.send(
            WireRequest(
                method: "POST",
                target: "/oauth2/token",
                headers: [WireHeader("Content-Type", "application/x-www-form-urlencoded")],
                body: Array(FormEncoding.encode(fields).utf8)
            )
        )
    }

    private static func members(of response: WireResponse) throws -> (
        access: String, refresh: String
    ) {
        let body = try #require(JSONValue(parsing: response.body))
        return (
            try #require(body["access_token"]?.stringValue),
            try #require(body["refresh_token"]?.stringValue)
        )
    }

    @Test("its tokens are refreshed for it alone, and only those that state it are accepted")
    func audience() async throws {
        try await withSandbox { sandbox in
            let (access, refresh) = try Self.members(of: try await Self.login(at: sandbox))
            func use(_ token: String) async throws -> Int {
                let token = AccessToken(Secret(token))
                return try await sandbox.send(Self.post("/oauth2/mcp", ["id": 1], token: token))
                    .status
            }
            func renew(_ token: String, for resource: String) async throws -> WireResponse {
                try await Self.token(
                    [
                        (name: "grant_type", value: "refresh_token"), ("refresh_token", token),
                        ("client_id", "sandbox"), ("resource", resource),
                    ],
                    at: sandbox
                )
            }
            #expect(try await use(access) == 200)
            let other = try await renew(refresh, for: "https://other.example/")
            #expect(other.status == 400)
            #expect(JSONValue(parsing: other.body)?["error"] == "invalid_target")
            let server = "http://127.0.0.1:\(sandbox.port)/oauth2/mcp"
            let next = try Self.members(of: try await renew(refresh, for: server))
            #expect(try await use(next.access) == 200)
            _ = try await sandbox.order(#"{"once": "missing-audience"}"#)
            let lost = try Self.members(of: try await renew(next.refresh, for: server))
            #expect(try await use(lost.access) == 401)
        }
    }
}
