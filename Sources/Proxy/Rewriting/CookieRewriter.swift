import Basics

/// Changes that make a backend's cookies work at an address of this machine.
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
        let parts = value.parts(at: ";", keepsEmpty: true)
        guard let pair = parts.first else { return value }
        let attributes = parts.dropFirst().compactMap { part -> String? in
            let halves = part.parts(at: "=", limit: 2, keepsEmpty: true)
            let text = halves.count > 1 ? String(halves[1].trimmingBlanks) : ""
            switch halves[0].trimmingBlanks.asciiLowercased {
            case "domain": return nil
            case "secure" where !isSecure, "partitioned" where !isSecure: return nil
            case "samesite" where !isSecure && text.asciiLowercased == "none":
                return " SameSite=Lax"
            case "path":
                guard let changed = path(text), changed != text else { return String(part) }
                return " Path=\(changed)"
            default: return String(part)
            }
        }
        let name = pair.trimmingBlanks
        let isPrefixed = !isSecure && prefixes.contains { name.asciiLowercased.begins(with: $0) }
        return ([isPrefixed ? String(Substring(name.utf8.dropFirst())) : String(pair)] + attributes)
            .joined(separator: ";")
    }

    /// Returns a `Cookie` with the names that the backend gave.
    static func restoringPrefixes(in value: String) -> String {
        guard value.has("_") else { return value }
        return value.parts(at: ";", keepsEmpty: true).map { part in
            let pair = part.trimmingBlanks
            let isShortened = prefixes.contains {
                pair.asciiLowercased.begins(with: $0.dropFirst())
            }
            guard isShortened else { return String(part) }
            return "\(Substring(part.utf8.prefix(while: { $0 == .space || $0 == .tab })))_\(pair)"
        }
        .joined(separator: ";")
    }
}
