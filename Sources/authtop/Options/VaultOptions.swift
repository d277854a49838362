import ArgumentParser
import Client
import Model
import Platform

/// The storage of a session.
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

    /// Returns the vault of one session.
    ///
    /// - Parameters:
    ///   - profile: The name of the profile, as the user writes it.
    ///   - baseURL: The backend's base URL.
    ///   - usual: The default kind of vault.
    ///   - environment: The environment.
    /// - Returns: A vault that has read nothing yet.
    /// - Throws: `CommandFailure` if there is no such kind.
    func vault(
        for profile: String,
        at baseURL: String,
        usual: String,
        environment: LiveEnvironment
    ) throws -> any Vault {
        let kind = try kind(usual: usual)
        // A vault that ends with the program needs no folder.
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

    /// Fails if there is no such kind.
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
