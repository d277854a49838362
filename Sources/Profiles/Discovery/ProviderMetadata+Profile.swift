import Basics

/// The client of a profile that is made from metadata, as the user has said it.
package struct GivenClient: Sendable, Hashable {
    /// The client's id, or the URL of its metadata; `nil` if the user has not said it.
    package var id: String?
    /// The port of a browser's redirect, or `nil` if the user has not said it.
    package var redirectPort: Int?
    /// The port that is registered for a client without an id if the user has not said one: a server
    /// may compare it with that of a login.
    package var freePort: Int?
    /// The file of the client's certificate, or `nil` if it has none.
    package var certificate: String?

    package init(
        id: String? = nil,
        redirectPort: Int? = nil,
        freePort: Int? = nil,
        certificate: String? = nil
    ) {
        self.id = id
        self.redirectPort = redirectPort
        self.freePort = freePort
        self.certificate = certificate
    }
}

/// The profile of a server that describes itself.
extension ProviderMetadata {
    /// Writes a profile with what the document states, each line with its source.
    ///
    /// - Parameters:
    ///   - name: The name of the profile.
    ///   - address: The address of the document.
    ///   - addition: The address of another document, which has what that one lacks, or `nil`.
    ///   - client: The client.
    ///   - server: The MCP server for which the tokens are, or `nil` for another resource.
    /// - Returns: The text of the file.
    /// - Throws: `ProviderMetadataError` for an endpoint that is no URL, or if the MCP server or the
    ///   client needs what the authorization server does not have.
    package func profile(
        named name: String,
        from address: String,
        and addition: String? = nil,
        client: GivenClient = GivenClient(),
        for server: MCPServer? = nil
    ) throws(ProviderMetadataError) -> String {
        let given = ProviderSettings.Given(hasCertificate: client.certificate != nil)
        let settings = try ProviderSettings(of: self, given: given)
        if server != nil, settings.grant?.value != Self.codeGrant || supportsS256 != true {
            throw .withoutPKCE
        }
        let isDocument = client.id?.begins(with: "https://") ?? false
        if isDocument, !readsClientDocuments { throw .withoutClientDocuments }
        let isRegistered = server != nil && client.id == nil && !settings.registration.isEmpty
        var document = TOMLDocument()
        document.addComment("\(name): as \(address) states.")
        if let addition { document.addComment("What it lacks is as \(addition) states.") }
        if let server { document.addComment("The resource is as \(server.address) states.") }
        document.addComment("Check it with `authtop profiles validate \(name)`.")
        document.addBlank()
        document.set("extends", to: "oauth2")
        document.set("base_url", to: settings.base.value, comment: "of token_endpoint")
        if let certificate = client.certificate {
            document.set("client_certificate", to: certificate, comment: "--client-certificate")
        }
        if let server { document.set("resource", to: server.resource.url) }
        document.addBlank()
        document.add([settings.grant].compactMap(\.self))
        let key = ClientAuthentication.key
        let withoutSecret = clientMethods.contains("none")
        if isDocument {
            document.set(key, to: "public", comment: "a client whose id is a URL has no secret")
        } else if isRegistered, !withoutSecret, clientMethods.contains("client_secret_post") {
            // The SDK for Python expects client_id in the body beside Basic, too.
            let source = "token_endpoint_auth_methods_supported"
            document.set(key, to: ClientAuthentication.body.rawValue, comment: source)
        } else {
            document.add([settings.client])
        }
        if settings.needsUser {
            if let id = client.id {
                document.set("client_id", to: id, comment: "--client-id")
            } else if isRegistered {
                document.add(settings.registration)
            } else {
                document.addComment("client_id = \"…\"   # without it, one of the credentials")
            }
        }
        let absent = settings.absent.filter { server == nil || $0.table != "protected" }
        if !absent.isEmpty {
            let lacking = Set(absent.map(\.endpoint))
            let keys = Endpoint.allCases.filter(lacking.contains).map(\.rawValue)
            document.set(
                "disable",
                to: .list(absent.map { .string($0.table) }),
                comment: "the document has no \(keys.joined(separator: ", "))"
            )
        }
        document.addBlank()
        document.add(settings.tokens)
        switch settings.grant?.value {
        case Self.codeGrant:
            let usesOwnScope = server == nil
            document.add(
                settings.authorization.filter { usesOwnScope || $0.path != Self.scopeKey }
            )
            if let scope = server?.scope(of: self) {
                let path = Self.scopeKey.parts(at: ".").map(String.init)
                document.set(path, to: .string(scope.text), comment: scope.source)
            }
            let path = ["login", "authorize", "redirect_port"]
            if let port = client.redirectPort {
                document.set(path, to: .integer(port), comment: "--redirect-port")
            } else if isRegistered, let port = client.freePort {
                document.set(path, to: .integer(port), comment: "registered with the client")
            }
        case Self.deviceGrant: document.add(settings.device)
        default: break
        }
        guard let server else {
            document.add(settings.idToken + settings.uses)
            return document.text
        }
        if server.scope(of: self)?.text.parts(at: " ").contains("openid") == true {
            document.add(settings.idToken)
        }
        document.add(settings.uses.filter { $0.table != "protected" })
        server.addProtectedRequest(to: &document)
        return document.text
    }

    private static let scopeKey = "login.authorize.scope"
}

extension TOMLDocument {
    fileprivate mutating func add(_ settings: [ProviderSettings.Setting]) {
        for setting in settings {
            let path = setting.path.parts(at: ".").map(String.init)
            set(path, to: .string(setting.value), comment: setting.source)
        }
    }
}
