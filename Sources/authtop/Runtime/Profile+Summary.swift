import Dialects
import Networking

extension Profile {
    /// In one line: what it extends, where it is, and what it takes.
    var summary: String {
        var parts = ["\(name) speaks \(dialect.name)"]
        if let baseURL { parts[0] += " at \(baseURL)" }
        let names = dialect.credentials.map(\.name)
        if !names.isEmpty { parts.append("credentials " + names.joined(separator: ", ")) }
        parts.append(renewal)
        let scopes = dialect.logoutScopes.map(\.rawValue).sorted()
        if !scopes.isEmpty { parts.append("log out " + scopes.joined(separator: ", ")) }
        if dialect.hasFeed { parts.append("feed") }
        return parts.joined(separator: "; ")
    }

    private var renewal: String {
        if dialect.policy.renewal == .login { return "renews by logging in again" }
        return dialect.hasRefreshToken ? "renews by refresh token" : "does not renew"
    }

    /// The base URL, where the file says one that can be used; clear text may be meant.
    func checkedOrigin() throws -> BackendOrigin? {
        guard let baseURL else { return nil }
        do {
            return try BackendOrigin(parsing: baseURL, allowInsecure: true)
        } catch {
            throw CommandFailure(.badInput, "\(files[0]): base_url: \(error.description)")
        }
    }
}
