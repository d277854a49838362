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
