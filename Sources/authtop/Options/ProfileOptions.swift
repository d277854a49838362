import ArgumentParser
import Dialects
import Networking
import Vaults

/// Which profile, on which backend, and where its credentials and its session are.
struct ProfileOptions: ParsableArguments {
    @Argument(help: "The profile: \(DialectCatalogue.builtInNames), or a file of your own.")
    var profile: String

    @Option(name: .customLong("base-url"), help: "Where the backend is.")
    var baseURL: String?

    @Option(help: "A file of name = value lines, mode 0600, with the credentials.")
    var credentials: String?

    @Option(name: .customLong("ca-file"), help: "Certificates (PEM) to trust besides the system's.")
    var caFile: String?

    @Flag(
        name: .customLong("allow-insecure"),
        help: "Send tokens in clear text to another machine."
    )
    var allowsInsecure = false

    @OptionGroup var vault: VaultOptions

    /// What all of it means here.
    func profile(in environment: LiveEnvironment) throws -> ChosenProfile {
        let dialect = try environment.catalogue.dialect(named: profile)
        let origin = try origin(for: dialect)
        return ChosenProfile(
            dialect: dialect,
            origin: origin,
            vault: try vault.vault(
                for: dialect.name,
                at: origin.description,
                usual: .file,
                environment: environment
            ),
            credentials: CredentialFinder(
                profile: dialect.name,
                variables: environment.variables,
                file: credentials
            ),
            network: try environment.networkConfiguration(caFile: caFile)
        )
    }

    private func origin(for dialect: Dialect) throws -> BackendOrigin {
        guard let baseURL else {
            throw CommandFailure(
                .badInput,
                "\(dialect.name) needs --base-url: where is the backend?"
            )
        }
        do {
            return try BackendOrigin(parsing: baseURL, allowInsecure: allowsInsecure)
        } catch {
            throw CommandFailure(.badInput, error.description)
        }
    }
}
