import ArgumentParser
import Lifecycle
import Sessions
import Vaults

/// Where a session is kept.
struct VaultOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Where the session is kept.",
            discussion: VaultCatalogue.all.map { "\($0.name): \($0.summary). " }.joined()
                + "helper:NAME: the credential helper docker-credential-NAME.",
            valueName: "vault"
        ),
        completion: .vaults
    )
    var vault: String?

    /// The vault of one session.
    ///
    /// - Parameters:
    ///   - profile: What a person calls it.
    ///   - baseURL: Its backend.
    ///   - usual: The kind, unless another one was asked for.
    ///   - environment: The world.
    /// - Returns: A vault that has read nothing yet.
    /// - Throws: `CommandFailure`, for a kind that there is not.
    func vault(
        for profile: String,
        at baseURL: String,
        usual: String,
        environment: LiveEnvironment
    ) throws -> any Vault {
        let kind = try kind(usual: usual)
        // What is gone with the program needs no folder.
        let isLasting = kind.name != VaultKind.memory.name
        let folder = isLasting ? try environment.stateFolder : ""
        let location = VaultLocation(profile: profile, baseURL: baseURL, folder: folder)
        do throws(VaultProblem) {
            return try kind.vault(
                for: location,
                in: VaultEnvironment(time: environment.time, variables: environment.variables)
            )
        } catch {
            throw CommandFailure(.unreachable, error.message)
        }
    }

    /// Fails for a kind that there is not.
    func check() throws {
        _ = try kind(usual: VaultKind.file.name)
    }

    private func kind(usual: String) throws -> VaultKind {
        let vault = vault ?? usual
        guard let kind = VaultCatalogue.kind(named: vault) else {
            throw CommandFailure(
                .badInput,
                "there is no vault \"\(vault)\": expected one of \(VaultCatalogue.names)"
            )
        }
        return kind
    }
}
