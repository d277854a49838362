import Dialects
import Lifecycle
import Networking
import Sessions
import Tokens
import Vaults

/// A profile as a command line, the environment and its file make it.
struct ChosenProfile: Sendable {
    let name: String
    let dialect: Dialect
    let origin: BackendOrigin
    let credentials: CredentialFinder
    let network: NetworkConfiguration
    /// What is kept of it, the session's record included.
    let localData: ProfileData
    /// How long that is kept when nobody uses it.
    let retention: Retention
    /// The files that it is made of, its own first.
    let files: [String]

    var vault: any Vault { localData.vault }
    var statistics: StatisticsFile { localData.statistics }

    /// The credentials of a login, asked for unless a session is stored that needs none.
    ///
    /// Once a screen is up nobody can be asked any more.
    func foundCredentials() async throws -> FixedCredentials {
        await mayHoldSession()
            ? try await credentials.findWithoutAsking(dialect.credentials)
            : try await credentials.find(dialect.credentials)
    }

    /// Whether no login may be needed; a vault that cannot be read may hold anything.
    func mayHoldSession() async -> Bool {
        do throws(VaultProblem) {
            return try await vault.load()?.pair != nil
        } catch {
            return true
        }
    }
}

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
