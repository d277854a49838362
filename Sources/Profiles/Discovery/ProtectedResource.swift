import Basics

/// The statements of a protected resource about itself (RFC 9728).
package struct ProtectedResource: Sendable, Hashable {
    /// The identifier of the resource, which is also what requests for its tokens name (RFC 8707).
    package let url: String
    /// The issuers of the authorization servers whose tokens it accepts.
    package let servers: [String]
    /// The scopes that the document lists, if any.
    let scopes: [String]

    /// The address of the document, and the resource that it has to state there.
    package struct Place: Sendable, Hashable {
        package let address: String
        package let resource: String
    }

    private static let wellKnown = "/.well-known/oauth-protected-resource"

    /// Returns the places of the document.
    ///
    /// - Parameters:
    ///   - url: The URL that the user uses.
    ///   - address: The address that a challenge names (RFC 9728 section 5.1), or `nil` for that of the
    ///     whole URL, and then that of its host (section 3.1).
    /// - Returns: The places in the order in which they are tried.
    package static func places(of url: String, namedBy address: String? = nil) -> [Place] {
        if let address { return [Place(address: address, resource: url)] }
        let start = url.range(ofBytes: "://")?.upperBound ?? url.startIndex
        let slash = url[start...].unicodeScalars.firstIndex(of: "/") ?? url.endIndex
        let host = String(url[..<slash])
        let root = Place(address: host + wellKnown, resource: host)
        let path = url[slash...]
        guard !path.isEmpty, path != "/" else { return [root] }
        return [Place(address: host + wellKnown + path, resource: url), root]
    }

    /// Parses the document.
    ///
    /// - Parameters:
    ///   - body: The document.
    ///   - resource: The resource that it has to state (section 3.3): otherwise, the server could
    ///     obtain tokens for another resource, and use them there.
    /// - Throws: `ProviderMetadataError`.
    package init(parsing body: [UInt8], of resource: String) throws(ProviderMetadataError) {
        guard body.count <= ProviderMetadata.sizeLimit else { throw .tooLarge }
        guard let document = JSONValue(parsing: body), case .object = document else {
            throw .notAnObject
        }
        guard let stated = document["resource"]?.stringValue, stated.utf8.count <= 1024 else {
            throw .missing("resource")
        }
        // A host with a slash after it is the same URL (RFC 3986 section 6.2.3).
        guard Self.withoutRoot(stated) == Self.withoutRoot(resource) else {
            throw .otherResource(stated)
        }
        url = stated
        servers = ProviderMetadata.texts(document["authorization_servers"]) ?? []
        guard !servers.isEmpty else { throw .missing("authorization_servers") }
        scopes = ProviderMetadata.texts(document["scopes_supported"]) ?? []
    }

    /// Returns a URL without its path if that is only a slash.
    private static func withoutRoot(_ url: String) -> String {
        guard url.ends(with: "/"), let start = url.range(ofBytes: "://")?.upperBound,
            url[start...].unicodeScalars.firstIndex(of: "/") == url.unicodeScalars.indices.last
        else { return url }
        return String(url.dropLast())
    }
}
