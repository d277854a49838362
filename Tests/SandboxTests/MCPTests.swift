import Backend
import Basics
import Profiles
import Testing

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
}
