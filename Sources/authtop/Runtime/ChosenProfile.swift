import Dialects
import Lifecycle
import Networking
import Sessions
import Tokens

/// A profile as a command line, the environment and its file make it.
struct ChosenProfile: Sendable {
    let name: String
    let dialect: Dialect
    let origin: BackendOrigin
    let vault: any Vault
    let credentials: CredentialFinder
    let network: NetworkConfiguration
    /// What a run counts is kept there.
    let statistics: StatisticsFile

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
