import Basics

/// The resource that the tokens are for (RFC 8707), which keeps other resources of the same
/// authorization server from accepting them.
extension Dialect {
    static let resourceName = "resource"

    /// Names the resource in the browser's request, and in every request for tokens that does not
    /// name one itself.
    mutating func addResource(_ resource: String) {
        func named(in request: RequestShape) -> RequestShape {
            var request = request
            let own = request.fields[Self.resourceName]
            request.fields[Self.resourceName] = own ?? .string(resource)
            return request
        }
        login.request = named(in: login.request)
        refresh = refresh.map { refresh in
            var refresh = refresh
            refresh.request = named(in: refresh.request)
            return refresh
        }
        login.device = login.device.map { device in
            var device = device
            device.request = named(in: device.request)
            return device
        }
        guard login.authorization?.request.query.items[Self.resourceName] == nil else { return }
        login.authorization?.resource = resource
    }

    /// Returns the dialect with a refresh for another resource, or for none.
    package func refreshing(for resource: String?) -> Dialect {
        var dialect = self
        dialect.refresh?.request.fields[Self.resourceName] = resource.map(JSONValue.string)
        return dialect
    }

    /// Reads the resource, which is an absolute URI without a fragment (section 2).
    ///
    /// - Throws: If it is none, or if a request for tokens is no form, of which it is a field.
    static func resource(
        in table: SchemaTable,
        login: LoginExchange,
        refresh: RefreshExchange?
    ) throws(DialectError) -> String? {
        guard let resource = try table.string(resourceName) else { return nil }
        let scheme = resource.range(ofBytes: ":").map { resource[..<$0.lowerBound] } ?? ""
        let isScheme = scheme.utf8.allSatisfy { $0.isAlphanumeric || "+-.".utf8.contains($0) }
        guard !scheme.isEmpty, isScheme, resource.utf8.count <= 1024,
            resource.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") })
        else {
            let expected = "expected one such as https://api.example.com"
            throw table.error(at: resourceName, "\(resource.quotedForError) is no URI", expected)
        }
        let requests = [login.request, refresh?.request].compactMap(\.self)
        guard requests.allSatisfy({ $0.encoding == .form }) else {
            let found = "a request for tokens is no form, of which it is a field"
            throw table.error(at: resourceName, found, "expected body = \"form\"")
        }
        return resource
    }
}
