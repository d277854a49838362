import Tokens

/// The profile of a server that describes itself.
extension ProviderMetadata {
    /// Writes a profile with what the document states, each line with its source.
    ///
    /// - Parameters:
    ///   - name: The name of the profile.
    ///   - address: The address of the document.
    ///   - clientID: The client's id, if the user has said it.
    /// - Returns: The text of the file.
    /// - Throws: `ProviderMetadataError.notAURL` for an endpoint that is none.
    package func profile(
        named name: String,
        from address: String,
        clientID: String? = nil
    ) throws(ProviderMetadataError) -> String {
        let (origin, token) = try parts(of: .token) ?? ("", "")
        let grant = grant
        let client = clientAuthentication(preferringPublic: grant.needsBrowser)
        var lines = [
            "# \(name): as \(Self.comment(address)) states.",
            "# Check it with `authtop profiles validate \(name)`.",
            "",
            "extends = \"oauth2\"",
            "base_url = \(Self.quoted(origin))   # of token_endpoint",
            "",
            "grant = \"\(grant.name)\"   # \(grant.source)",
            "client_auth = \"\(client.name)\"   # \(client.source)",
        ]
        if grant.needsBrowser {
            let id = clientID.map { "client_id = \(Self.quoted($0))   # --client-id" }
            lines.append(id ?? "# client_id = \"…\"   # without it, one of the credentials")
        }
        let absent = try absentTables()
        if !absent.isEmpty {
            let names = absent.map { "\"\($0.table)\"" }.joined(separator: ", ")
            let keys = absent.map(\.endpoint.rawValue).joined(separator: ", ")
            lines.append("disable = [\(names)]   # the document has no \(keys)")
        }
        lines += [
            "",
            "login.request = \(Self.quoted("POST \(token)"))   # token_endpoint",
            "refresh.request = \(Self.quoted("POST \(token)"))   # token_endpoint",
        ]
        if grant.needsBrowser { lines += try authorizeLines(from: origin) }
        if let revocation = try target(of: .revocation, from: origin) {
            lines.append(
                "logout.this.request = \(Self.quoted("POST \(revocation)"))   # revocation_endpoint"
            )
        }
        if let userinfo = try target(of: .userinfo, from: origin) {
            lines.append(
                "protected.request = \(Self.quoted("GET \(userinfo)"))   # userinfo_endpoint"
            )
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The tables of the dialect that nothing in the document corresponds to.
    private func absentTables() throws(ProviderMetadataError) -> [(
        table: String, endpoint: Endpoint
    )] {
        [("logout", .revocation), ("protected", .userinfo)].filter { endpoints[$0.endpoint] == nil }
    }

    /// Returns the path of an endpoint, or its URL if it is at another host.
    private func target(
        of endpoint: Endpoint,
        from base: String
    ) throws(ProviderMetadataError) -> String? {
        try parts(of: endpoint).map { origin, target in
            origin == base ? target : origin + target
        }
    }

    /// Returns the origin and the rest of an endpoint's URL.
    private func parts(
        of endpoint: Endpoint
    ) throws(ProviderMetadataError) -> (origin: String, target: String)? {
        guard let url = endpoints[endpoint] else { return nil }
        let mark = url.firstRange(of: "://")
        guard let mark, ["http", "https"].contains(String(url[..<mark.lowerBound])) else {
            throw .notAURL(endpoint.rawValue)
        }
        let slash = url[mark.upperBound...].firstIndex(of: "/") ?? url.endIndex
        let target = slash == url.endIndex ? "/" : String(url[slash...])
        let isPlain = url.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }
        guard isPlain, slash > mark.upperBound, !url[..<slash].contains("@"),
            RequestSyntax.isTarget(target)
        else { throw .notAURL(endpoint.rawValue) }
        return (String(url[..<slash]), target)
    }

    private struct Grant {
        let name: String
        let source: String
        var needsBrowser = false
    }

    /// The sign-in with a browser, as users log in, or else the first of the grants without one.
    private var grant: Grant {
        let code = "authorization_code"
        let hasBrowser = endpoints[.authorization] != nil && grants.contains(code)
        if hasBrowser, supportsS256 == true {
            return Grant(
                name: code,
                source: "authorization_endpoint, code_challenge_methods_supported",
                needsBrowser: true
            )
        }
        for name in ["password", "client_credentials"] where grants.contains(name) {
            return Grant(name: name, source: "grant_types_supported")
        }
        if hasBrowser, supportsS256 == nil {
            return Grant(
                name: code,
                source: "assumed: there is no code_challenge_methods_supported",
                needsBrowser: true
            )
        }
        if grants.contains("refresh_token") {
            return Grant(name: "refresh_token", source: "grant_types_supported")
        }
        return Grant(
            name: "refresh_token",
            source: "assumed: there is no other grant without a browser, and no PKCE with S256"
        )
    }

    private func authorizeLines(from base: String) throws(ProviderMetadataError) -> [String] {
        var lines: [String] = []
        if let target = try target(of: .authorization, from: base) {
            lines.append(
                "login.authorize.request = \(Self.quoted("GET \(target)"))"
                    + "   # authorization_endpoint"
            )
        }
        let wanted = ["openid", "offline_access"].filter(scopes.contains)
        if !wanted.isEmpty {
            let scope = Self.quoted(wanted.joined(separator: " "))
            lines.append("login.authorize.scope = \(scope)   # scopes_supported")
        }
        if namesIssuer {
            lines.append(
                "login.authorize.issuer = \(Self.quoted(issuer))"
                    + "   # authorization_response_iss_parameter_supported"
            )
        }
        return lines
    }

    private func clientAuthentication(
        preferringPublic prefersPublic: Bool
    ) -> (name: String, source: String) {
        let known = [
            ("client_secret_basic", "basic"), ("client_secret_post", "body"), ("none", "public"),
        ]
        let methods = clientMethods
        if prefersPublic, methods.contains("none") {
            return ("public", "token_endpoint_auth_methods_supported: none")
        }
        for (method, name) in known where methods.contains(method) {
            return (name, "token_endpoint_auth_methods_supported")
        }
        return ("basic", "assumed: token_endpoint_auth_methods_supported names none that is known")
    }

    private static func comment(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { !$0.isUnseen }))
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
