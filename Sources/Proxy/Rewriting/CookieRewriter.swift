/// What makes a backend's cookies work at an address of this machine.
///
/// With plain HTTP, browsers reject the prefixes `__Host-` and `__Secure-`, so one underscore is
/// removed, and put back when the app sends the cookie: this needs no memory of what was set.
enum CookieRewriter {
    private static let prefixes = ["__host-", "__secure-"]

    /// Rewrites a `Set-Cookie` for an app.
    ///
    /// - Parameters:
    ///   - value: The backend's.
    ///   - isSecure: Whether the app uses https.
    ///   - path: Returns the path at the proxy of a path at the backend.
    /// - Returns: The value that the app gets.
    static func forApp(
        _ value: String,
        isSecure: Bool,
        path: (String) -> String?
    ) -> String {
        let parts = value.split(separator: ";", omittingEmptySubsequences: false)
        guard let pair = parts.first else { return value }
        let attributes = parts.dropFirst().compactMap { part -> String? in
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let text = halves.count > 1 ? String(halves[1].trimmingSpaces()) : ""
            switch halves[0].trimmingSpaces().lowercased() {
            case "domain": return nil
            case "secure" where !isSecure, "partitioned" where !isSecure: return nil
            case "samesite" where !isSecure && text.lowercased() == "none": return " SameSite=Lax"
            case "path":
                guard let changed = path(text), changed != text else { return String(part) }
                return " Path=\(changed)"
            default: return String(part)
            }
        }
        let name = pair.trimmingSpaces()
        let isPrefixed = !isSecure && prefixes.contains { name.lowercased().hasPrefix($0) }
        return ([isPrefixed ? String(name.dropFirst()) : String(pair)] + attributes)
            .joined(separator: ";")
    }

    /// Returns a `Cookie` with the names that the backend gave.
    static func restoringPrefixes(in value: String) -> String {
        guard value.contains("_") else { return value }
        return value.split(separator: ";", omittingEmptySubsequences: false).map { part in
            let pair = part.trimmingSpaces()
            let isShortened = prefixes.contains { pair.lowercased().hasPrefix($0.dropFirst()) }
            guard isShortened else { return String(part) }
            return "\(part.prefix(while: { $0 == " " || $0 == "\t" }))_\(pair)"
        }
        .joined(separator: ";")
    }
}
