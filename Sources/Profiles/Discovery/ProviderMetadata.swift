import Basics

/// The statements of an authorization server about itself (RFC 8414, OpenID Connect Discovery 1.0).
package struct ProviderMetadata: Sendable, Hashable {
    var issuer: String
    /// The endpoints, by their names in the document.
    var endpoints: [Endpoint: String]
    /// Those for a client with a certificate, where they differ (RFC 8705 section 5).
    private(set) var certificateEndpoints: [Endpoint: String] = [:]
    /// The grants that it supports; without them, RFC 8414 assumes the first of these two.
    var grants: [String] = ["authorization_code", "implicit"]
    /// The ways in which a client authenticates at the token endpoint.
    var clientMethods: [String] = ["client_secret_basic"]
    /// The scopes that the document lists, if any.
    var scopes: [String] = []
    /// Whether it supports PKCE with the method S256 (RFC 7636), or `nil` if it does not say so.
    var supportsS256: Bool?
    /// Whether a redirect names the issuer (RFC 9207).
    var namesIssuer = false
    /// Whether a login with a browser begins with a pushed request (RFC 9126 section 5).
    var requiresPushed = false
    /// Whether a client's id may be the URL of its metadata (Client ID Metadata Document).
    var readsClientDocuments = false

    enum Endpoint: String, Sendable, Hashable, CaseIterable {
        case authorization = "authorization_endpoint"
        case token = "token_endpoint"
        case revocation = "revocation_endpoint"
        case introspection = "introspection_endpoint"
        case userinfo = "userinfo_endpoint"
        case keys = "jwks_uri"
        case device = "device_authorization_endpoint"
        case pushed = "pushed_authorization_request_endpoint"
        case endSession = "end_session_endpoint"
        case registration = "registration_endpoint"

        /// Whether the client itself calls it, and not the user's browser, or anyone.
        var isForClients: Bool { ![.authorization, .endSession, .keys].contains(self) }
    }

    /// Returns the same with the endpoints for a client with a certificate.
    func forCertificate() -> ProviderMetadata {
        var metadata = self
        metadata.endpoints.merge(certificateEndpoints) { _, alias in alias }
        return metadata
    }

    /// The size of the largest document that is read, in bytes.
    package static let sizeLimit = 256 * 1024

    /// Returns the addresses of the document.
    ///
    /// RFC 8414 inserts its path before that of the issuer, and allows the same for the one of OpenID
    /// Connect (section 5). A server may have both, of which that of OpenID Connect need not name
    /// the endpoints for registration and revocation, and the other one not that for the user.
    ///
    /// - Parameters:
    ///   - issuer: The issuer.
    ///   - isForMCP: Whether the document of RFC 8414 comes first, as the authorization of the Model
    ///     Context Protocol requires, or else that of OpenID Connect.
    /// - Returns: The addresses in the order in which they are tried.
    package static func addresses(of issuer: String, isForMCP: Bool = false) -> [String] {
        var base = issuer
        while base.ends(with: "/") { base.removeLast() }
        let start = base.range(ofBytes: "://")?.upperBound ?? base.startIndex
        let slash = base[start...].unicodeScalars.firstIndex(of: "/") ?? base.endIndex
        let (host, path) = (base[..<slash], base[slash...])
        let openID = "/.well-known/openid-configuration"
        let oauth = "\(host)/.well-known/oauth-authorization-server\(path)"
        let inserted = path.isEmpty ? [] : ["\(host)\(openID)\(path)"]
        guard isForMCP else { return [base + openID, oauth] + inserted }
        return [oauth] + inserted + [base + openID]
    }

    /// Returns whether the document names the endpoints that profiles use and that one of two may lack:
    /// that for revocation and, unless the tokens are for an MCP server, that for the user.
    package func namesEndpoints(isForMCP: Bool) -> Bool {
        endpoints[.revocation] != nil && (isForMCP || endpoints[.userinfo] != nil)
    }

    /// Returns a document with the members that only another one of the same issuer has, or `nil` if
    /// there are none.
    package static func completing(_ document: [UInt8], by other: [UInt8]) -> [UInt8]? {
        guard other.count <= sizeLimit,
            case .object(let members)? = JSONValue(parsing: document),
            case .object(let others)? = JSONValue(parsing: other),
            members["issuer"] == others["issuer"],
            others.keys.contains(where: { members[$0] == nil })
        else { return nil }
        return Array(JSONValue.object(members.merging(others) { own, _ in own }).serialized.utf8)
    }

    /// Parses the document.
    ///
    /// - Parameters:
    ///   - body: The document.
    ///   - issuer: The issuer that it must state (RFC 8414 section 3.3), as the user wrote it.
    ///   - isExact: Whether the final slash of the issuer counts, which users often leave out.
    /// - Throws: `ProviderMetadataError`.
    package init(
        parsing body: [UInt8],
        of issuer: String,
        isExact: Bool = false
    ) throws(ProviderMetadataError) {
        guard body.count <= Self.sizeLimit else { throw .tooLarge }
        guard case .object(let document)? = JSONValue(parsing: body) else { throw .notAnObject }
        func text(_ key: String) -> String? {
            document[key]?.displayText.flatMap { $0.utf8.count <= 1024 ? $0 : nil }
        }
        guard let stated = text("issuer") else { throw .missing("issuer") }
        guard stated == issuer || !isExact && Self.isSame(stated, issuer) else {
            throw .otherIssuer(stated)
        }
        self.issuer = stated
        endpoints = [:]
        for endpoint in Endpoint.allCases {
            endpoints[endpoint] = text(endpoint.rawValue)
        }
        guard endpoints[.token] != nil else { throw .missing(Endpoint.token.rawValue) }
        for endpoint in Endpoint.allCases where endpoint.isForClients {
            let alias = document["mtls_endpoint_aliases"]?.value(at: endpoint.rawValue)?.displayText
            certificateEndpoints[endpoint] = alias.flatMap { $0.utf8.count <= 1024 ? $0 : nil }
        }
        if let grants = Self.texts(document["grant_types_supported"]) { self.grants = grants }
        if let methods = Self.texts(document["token_endpoint_auth_methods_supported"]) {
            clientMethods = methods
        }
        scopes = Self.texts(document["scopes_supported"]) ?? []
        supportsS256 =
            Self.texts(document["code_challenge_methods_supported"])?
            .contains(CodeVerifier.method)
        namesIssuer = document["authorization_response_iss_parameter_supported"] == .bool(true)
        readsClientDocuments = document["client_id_metadata_document_supported"] == .bool(true)
        requiresPushed = document[Self.pushedRequirement] == .bool(true)
        guard !requiresPushed || endpoints[.pushed] != nil else {
            throw .missing(Endpoint.pushed.rawValue)
        }
    }

    static let pushedRequirement = "require_pushed_authorization_requests"

    static func texts(_ value: JSONValue?) -> [String]? {
        guard case .array(let elements)? = value else { return nil }
        return elements.prefix(64).compactMap(\.displayText)
    }

    /// Compares issuers without a final slash.
    private static func isSame(_ stated: String, _ issuer: String) -> Bool {
        stated == issuer + "/" || stated + "/" == issuer
    }
}

/// The reason why a document does not describe the server.
package enum ProviderMetadataError: Error, Sendable, Equatable {
    case tooLarge
    case notAnObject
    case missing(String)
    /// The issuer that the document states instead.
    case otherIssuer(String)
    /// The resource that the document states instead.
    case otherResource(String)
    /// The server has no login with a browser and PKCE.
    case withoutPKCE
    /// The client's id is a URL, which the server does not read.
    case withoutClientDocuments
    /// An endpoint that is no URL, with its name.
    case notAURL(String)
    /// An endpoint on this machine or its link, of a server that is not, with its name.
    case nearEndpoint(String)
}

/// A server's metadata, with the address where it was read.
package struct ProviderDescription: Sendable, Hashable {
    package let metadata: ProviderMetadata
    package let address: String
    /// The address of another document, which has what that one lacks, or `nil` if none was read.
    package let addition: String?

    package init(_ metadata: ProviderMetadata, at address: String, and addition: String? = nil) {
        self.metadata = metadata
        self.address = address
        self.addition = addition
    }
}
