import Basics

/// A server of the Model Context Protocol that requires a login, as it describes itself.
package struct MCPServer: Sendable, Hashable {
    /// The URL that the user uses.
    let url: String
    let resource: ProtectedResource
    /// The address where the document on the resource was read.
    let address: String
    /// The scope that the challenge to a request without a token names, or `nil`.
    let challengedScope: String?

    package init(url: String, resource: ProtectedResource, at address: String, scope: String?) {
        self.url = url
        self.resource = resource
        self.address = address
        challengedScope = scope
    }

    /// The first message of a client: a server answers it only with a valid token.
    private static let initialize: JSONValue = [
        "jsonrpc": "2.0", "id": .integer(1), "method": "initialize",
        "params": [
            "protocolVersion": "2025-06-18", "capabilities": [:],
            "clientInfo": ["name": "authtop", "version": "1"],
        ],
    ]

    /// The answer may be an event stream.
    private static let accept = "application/json, text/event-stream"

    /// The request without a token, whose answer says where to get one.
    package static let question = WireRequest(
        method: "POST",
        target: "/",
        headers: [.json, WireHeader("Accept", accept)],
        body: Array(initialize.serialized.utf8)
    )

    /// Returns the metadata's address in a challenge (RFC 9728 section 5.1), or `nil` if there is
    /// none.
    package static func metadataAddress(in response: WireResponse) -> String? {
        Challenge.parameter("resource_metadata", in: response)
    }

    /// Returns the scope of a challenge (RFC 6750 section 3), or `nil` if there is none.
    package static func scope(in response: WireResponse) -> String? {
        Challenge.parameter("scope", in: response)
    }

    /// Adds the request that needs a token.
    func addProtectedRequest(to document: inout TOMLDocument) {
        let host = url.range(ofBytes: "://").map { url[$0.upperBound...] }
        let target = host?.has("/") == false ? url + "/" : url
        document.set(["protected", "request"], to: .string("POST \(target)"), comment: "--mcp")
        document.set(
            ["protected", "headers"],
            to: .table([("Accept", .string(Self.accept))])
        )
        document.set(["protected", "fields"], to: Self.toml(Self.initialize))
    }

    /// Returns the scope to request: what the challenge names, or else what the resource lists, and
    /// what brings a refresh token where the authorization server offers it.
    func scope(of metadata: ProviderMetadata) -> (text: String, source: String)? {
        let challenged = challengedScope.map { $0.parts(at: " ").map(String.init) }
        var words = challenged ?? resource.scopes
        var source = challenged == nil ? "scopes_supported of the resource" : "the challenge"
        let offline = "offline_access"
        if metadata.scopes.contains(offline), !words.contains(offline) {
            words.append(offline)
            source += ", \(offline) of the server"
        }
        return words.isEmpty ? nil : (words.joined(separator: " "), source)
    }

    private static func toml(_ value: JSONValue) -> TOMLDocument.Value {
        switch value {
        case .object(let members):
            .table(members.sorted { $0.key < $1.key }.map { ($0.key, toml($0.value)) })
        case .array(let elements): .list(elements.map(toml))
        case .integer(let number): .integer(Int(number))
        case .number(let number): .number(number)
        case .bool(let flag): .bool(flag)
        case .string(let text): .string(text)
        case .null: .string("")
        }
    }
}
