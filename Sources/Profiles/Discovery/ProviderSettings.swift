import Basics

/// The settings that a profile takes from a server's metadata.
struct ProviderSettings {
    /// A value of the profile.
    struct Setting {
        /// The dotted path of its key.
        let path: String
        let value: String
        /// The member of the metadata that states it.
        let source: String
        /// The table without which it means nothing, or `nil` for the top of the file.
        var table: String? {
            base ?? path.parts(at: ".").dropLast().joined(separator: ".").nonEmpty
        }
        /// That table, if it is not the one of the key.
        var base: String?
    }

    /// The profile's own statements, which the metadata complements.
    struct Given {
        var baseURL: String?
        var grant: String?
        /// The grants of its dialect, or `nil` for those of `oauth2`.
        var grants: Set<String>?
        /// Whether the client has a secret, so that it is not public.
        var hasSecret = false
        /// Whether the client has a private key, with which it authenticates itself.
        var hasKey = false
        /// Whether the client has a certificate, for which there may be endpoints of their own.
        var hasCertificate = false
    }

    /// The origin of the token endpoint, or the base URL that the profile says.
    let base: Setting
    /// The way to log in, or `nil` if the dialect has no grant that the server supports.
    let grant: Setting?
    let needsUser: Bool
    let client: Setting
    /// The requests for tokens.
    let tokens: [Setting]
    /// Those of a login with a browser.
    let authorization: [Setting]
    /// Those of a login on any device.
    let device: [Setting]
    /// The issuer of id tokens, and its keys.
    let idToken: [Setting]
    /// The requests with tokens.
    let uses: [Setting]
    /// The request by which a client gets an id.
    let registration: [Setting]
    /// The tables of the dialect that nothing in the metadata corresponds to.
    let absent: [(table: String, endpoint: ProviderMetadata.Endpoint)]

    /// - Throws: `ProviderMetadataError.notAURL` for an endpoint that is none.
    init(
        of metadata: ProviderMetadata,
        given: Given = Given()
    ) throws(ProviderMetadataError) {
        let metadata = given.hasCertificate ? metadata.forCertificate() : metadata
        let (origin, token) = try metadata.parts(of: .token) ?? ("", "")
        let base = given.baseURL ?? origin
        self.base = Setting(path: "base_url", value: base, source: "token_endpoint")
        let choice = metadata.grant(among: given.grants)
        grant = given.grant == nil ? choice : nil
        let name = given.grant ?? choice?.value
        needsUser = [ProviderMetadata.codeGrant, ProviderMetadata.deviceGrant].contains(name)
        client = metadata.clientAuthentication(
            preferringPublic: needsUser && !given.hasSecret,
            given
        )
        func requests(
            _ endpoints: [(String, String, ProviderMetadata.Endpoint)],
            within table: String? = nil
        ) throws(ProviderMetadataError) -> [Setting] {
            var settings: [Setting] = []
            for (path, method, endpoint) in endpoints {
                guard let (origin, target) = try metadata.parts(of: endpoint) else { continue }
                let place = Self.place(target, at: origin, base: base)
                settings.append(
                    Setting(
                        path: path,
                        value: "\(method) \(place)",
                        source: endpoint.rawValue,
                        base: table
                    )
                )
            }
            return settings
        }
        let request = Self.place(token, at: origin, base: base)
        tokens = ["login", "refresh"].map {
            Setting(path: "\($0).request", value: "POST \(request)", source: "token_endpoint")
        }
        authorization =
            try requests([("login.authorize.request", "GET", .authorization)])
            + requests(
                metadata.requiresPushed
                    ? [("login.authorize.pushed.request", "POST", .pushed)] : [],
                within: "login.authorize"
            ) + metadata.authorizationSettings
        device =
            try requests([("login.device.request", "POST", .device)])
            + metadata.scope(at: "login.device.scope")
        idToken =
            metadata.endpoints[.keys].map { url in
                [("issuer", metadata.issuer, "issuer"), ("jwks_uri", url, "jwks_uri")].map {
                    Setting(path: "login.id_token.\($0)", value: $1, source: $2, base: "login")
                }
            } ?? []
        var uses = try requests([
            ("logout.this.request", "POST", .revocation), ("protected.request", "GET", .userinfo),
            ("introspection.request", "POST", .introspection),
            ("userinfo.request", "GET", .userinfo),
        ])
        registration = try requests([("registration.request", "POST", .registration)])
        if needsUser {
            uses += try requests(
                [("logout.end_session.request", "GET", .endSession)],
                within: "logout"
            )
        }
        self.uses = uses
        // The end of the provider's session is a part of the table.
        let hasEnd = uses.contains { $0.source == ProviderMetadata.Endpoint.endSession.rawValue }
        absent = [
            (hasEnd ? "logout.this" : "logout", .revocation), ("protected", .userinfo),
            ("introspection", .introspection),
            ("userinfo", .userinfo),
        ].filter { metadata.endpoints[$0.1] == nil }
    }

    /// Returns a target as a request of the profile names it: after its origin if that is not the base
    /// URL, or if its path alone would look like a host.
    private static func place(_ target: String, at origin: String, base: String) -> String {
        origin == base && !target.begins(with: "//") ? target : origin + target
    }
}

extension ProviderMetadata {
    static let codeGrant = "authorization_code"
    static let deviceGrant = "device_code"

    /// Returns the origin and the rest of an endpoint's URL.
    func parts(
        of endpoint: Endpoint
    ) throws(ProviderMetadataError) -> (origin: String, target: String)? {
        guard let url = endpoints[endpoint] else { return nil }
        let mark = url.range(ofBytes: "://")
        guard let mark, ["http", "https"].contains(String(url[..<mark.lowerBound])) else {
            throw .notAURL(endpoint.rawValue)
        }
        let slash = url[mark.upperBound...].unicodeScalars.firstIndex(of: "/") ?? url.endIndex
        let target = slash == url.endIndex ? "/" : String(url[slash...])
        let isPlain = url.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }
        guard isPlain, slash > mark.upperBound, !url[..<slash].has("@"),
            RequestSyntax.isTarget(target)
        else { throw .notAURL(endpoint.rawValue) }
        return (String(url[..<slash]), target)
    }

    /// The origins of the endpoints, with the names of the endpoints in the document.
    ///
    /// - Throws: `ProviderMetadataError.notAURL` for an endpoint that is none.
    package func origins() throws(ProviderMetadataError) -> [(endpoint: String, origin: String)] {
        var origins: [(String, String)] = []
        for metadata in [self, forCertificate()] {
            for endpoint in Endpoint.allCases {
                guard let (origin, _) = try metadata.parts(of: endpoint) else { continue }
                origins.append((endpoint.rawValue, origin))
            }
        }
        return origins
    }

    /// The login of a user, with a browser or a device, or else the first of the other grants.
    fileprivate func grant(among known: Set<String>?) -> ProviderSettings.Setting? {
        candidates.first { known?.contains($0.value) ?? true }
    }

    private var candidates: [ProviderSettings.Setting] {
        func grant(_ name: String, _ source: String) -> ProviderSettings.Setting {
            ProviderSettings.Setting(path: "grant", value: name, source: source)
        }
        let hasBrowser = endpoints[.authorization] != nil && grants.contains(Self.codeGrant)
        var found: [ProviderSettings.Setting] = []
        if hasBrowser, supportsS256 == true {
            let source = "authorization_endpoint, code_challenge_methods_supported"
            found.append(grant(Self.codeGrant, source))
        }
        if endpoints[.device] != nil, grants.contains(DeviceExchange.grantType) {
            found.append(grant(Self.deviceGrant, Endpoint.device.rawValue))
        }
        for name in ["password", "client_credentials"] where grants.contains(name) {
            found.append(grant(name, "grant_types_supported"))
        }
        if hasBrowser, supportsS256 == nil {
            let source = "assumed: there is no code_challenge_methods_supported"
            found.append(grant(Self.codeGrant, source))
        }
        let isListed = grants.contains("refresh_token")
        let assumed = "assumed: there is no other grant without a browser, and no PKCE with S256"
        found.append(grant("refresh_token", isListed ? "grant_types_supported" : assumed))
        return found
    }

    fileprivate var authorizationSettings: [ProviderSettings.Setting] {
        var settings = scope(at: "login.authorize.scope")
        let (key, source) =
            namesIssuer
            ? ("issuer", "authorization_response_iss_parameter_supported")
            : ("issuer_if_named", "issuer")
        settings.append(
            ProviderSettings.Setting(
                path: "login.authorize.\(key)",
                value: issuer,
                source: source,
                base: "login.authorize"
            )
        )
        return settings
    }

    fileprivate func scope(at path: String) -> [ProviderSettings.Setting] {
        let wanted = ["openid", "offline_access"].filter(scopes.contains).joined(separator: " ")
        guard !wanted.isEmpty else { return [] }
        return [ProviderSettings.Setting(path: path, value: wanted, source: "scopes_supported")]
    }

    fileprivate func clientAuthentication(
        preferringPublic prefersPublic: Bool,
        _ given: ProviderSettings.Given
    ) -> ProviderSettings.Setting {
        let key = "token_endpoint_auth_methods_supported"
        func method(_ name: String, _ source: String) -> ProviderSettings.Setting {
            ProviderSettings.Setting(path: ClientAuthentication.key, value: name, source: source)
        }
        let signing = ClientAuthentication.privateKey.rawValue
        if given.hasKey, clientMethods.contains(signing) { return method(signing, key) }
        // The certificate authenticates the client, which only names itself (RFC 8705 section 2).
        let byCertificate = ["tls_client_auth", "self_signed_tls_client_auth"]
        if given.hasCertificate, let listed = byCertificate.first(where: clientMethods.contains) {
            return method("public", "\(key): \(listed)")
        }
        if prefersPublic, clientMethods.contains("none") {
            return method("public", "\(key): none")
        }
        let secret = ClientAuthentication.secretKey.rawValue
        let last = [("none", "public"), (secret, secret)]
        let known =
            [("client_secret_basic", "basic"), ("client_secret_post", "body")]
            + (given.hasSecret ? last.reversed() : last)
        for (listed, name) in known where clientMethods.contains(listed) {
            return method(name, key)
        }
        return method("basic", "assumed: \(key) names none that is known")
    }
}

extension String {
    fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
