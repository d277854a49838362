import Backend
import Basics
import Model
import Profiles
import Synchronization

/// The paths of an MCP server whose tokens a dialect with a login by a browser issues.
enum MCPPaths {
    /// The path of the server, after that of the issuer.
    static let server = "/mcp"

    /// The beginning of the paths of documents (RFC 8615).
    static let wellKnown = "/.well-known"

    /// Returns the path of the document on the resource (RFC 9728 section 3.1), by that of the issuer.
    static func resource(under prefix: String) -> String {
        "\(wellKnown)/oauth-protected-resource\(prefix)\(server)"
    }

    /// Returns the path of the document on the authorization server (RFC 8414 section 3.1), by that of
    /// the issuer.
    static func metadata(under prefix: String) -> String {
        "\(wellKnown)/oauth-authorization-server\(prefix)"
    }

    /// Returns the document on the resource, by the URL of the issuer.
    static func document(issuer: String) -> JSONValue {
        [
            "resource": .string(issuer + server),
            "authorization_servers": [.string(issuer)],
            "bearer_methods_supported": ["header"],
            "scopes_supported": ["read", "offline_access"],
        ]
    }
}

extension SandboxCore {
    /// Returns a document as it is served, which a fault may have state something else.
    func served(_ document: JSONValue, of kind: ExchangeKind) -> JSONValue {
        guard case .object(var members) = document else { return document }
        for rule in broken(in: kind) {
            switch rule {
            case .resource: members["resource"] = "https://other.invalid/mcp"
            case .issuer: members["issuer"] = "https://other.invalid"
            case .codeChallenge: members["code_challenge_methods_supported"] = nil
            case .rotation, .singleUse, .audience, .scope, .nonce, .registration: break
            }
        }
        return .object(members)
    }

    /// Registers a client: each is the sandbox's own, whose redirects to this machine are all allowed.
    func register(_ body: [UInt8]) -> WireResponse {
        guard broken(in: .registration).isEmpty else {
            return .json(
                [
                    "error": "invalid_client_metadata",
                    "error_description": "clients are registered by an administrator",
                ],
                status: 400
            )
        }
        guard let metadata = JSONValue(parsing: body), case .object(var members) = metadata,
            case .array(let redirects)? = members["redirect_uris"], !redirects.isEmpty
        else {
            return .json(
                [
                    "error": "invalid_redirect_uri",
                    "error_description": "expected redirect_uris (RFC 7591 section 2)",
                ],
                status: 400
            )
        }
        let method = members["token_endpoint_auth_method"]?.stringValue ?? "client_secret_basic"
        members["token_endpoint_auth_method"] = .string(method)
        let client = locked.withLock { $0.backend.client }
        members["client_id"] = (client.id?.reveal()).map(JSONValue.string)
        if method != "none" {
            members["client_secret"] = (client.secret?.reveal()).map(JSONValue.string)
            members["client_secret_expires_at"] = 0
        }
        return .json(.object(members), status: 201)
    }
}

/// Tokens for a resource (RFC 8707).
extension SandboxCore {
    /// Returns the answer to a refresh for another resource than that of its session, or `nil` for any
    /// other request.
    func targetRefusal(
        of request: RecognizedRequest,
        in wire: WireRequest
    ) -> WireResponse? {
        guard case .refresh(let token?) = request, let resource = wire.parameters["resource"],
            !locked.withLock({ $0.backend.grants(resource, to: token) })
        else { return nil }
        return .json(
            [
                "error": "invalid_target",
                "error_description": "the session is for another resource",
            ],
            status: 400
        )
    }

    /// Returns the refusal of a token that is not for the MCP server at a URL, or `nil` for any other.
    func refusal(
        of token: AccessToken?,
        at url: String,
        in served: ServedDialect
    ) -> WireResponse? {
        guard let token, !locked.withLock({ $0.backend.accepts(token, at: url) }) else {
            return nil
        }
        return served.dialect.answer(.unauthorized(.invalid))
    }
}

extension WireResponse {
    /// Returns the answer of an MCP server to a request with a token, by that of a dialect: a refusal
    /// says where the resource is described, and anything else is a result.
    func fromMCPServer(describedAt address: String, to request: WireRequest) -> WireResponse {
        guard status == 401 else {
            let id = JSONValue(parsing: request.body)?["id"]
            guard (200..<300).contains(status), let id else { return self }
            let result: JSONValue = [
                "protocolVersion": "2025-06-18", "capabilities": [:],
                "serverInfo": ["name": "authtop sandbox", "version": "1"],
            ]
            return .json(["jsonrpc": "2.0", "id": id, "result": result])
        }
        var response = self
        let name = "WWW-Authenticate"
        let challenge = header(name) ?? "Bearer"
        response.headers.removeAll { $0.name.isEqualIgnoringCase(name) }
        let separator = challenge.has(" ") ? ", " : " "
        let parameter = "resource_metadata=\"\(address)\""
        response.headers.append(WireHeader(name, challenge + separator + parameter))
        return response
    }
}
