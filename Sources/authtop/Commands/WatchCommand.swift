import ArgumentParser
import Dialects
import Lifecycle
import Networking
import Sessions
import Timekeeping
import Tokens
import Vaults

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Log in to a backend, or go on with the stored session, and watch it.",
        discussion: """
            A session that was left is taken up again without its credentials.

            Credentials come from AUTHTOP_<PROFILE>_<CREDENTIAL>, such as \
            AUTHTOP_VOLTYKS_PASSWORD, from a file, or from a prompt; never from an argument.
            """
    )

    @Argument(help: "The profile: \(DialectCatalogue.builtInNames), or a file of your own.")
    var profile: String

    @Option(name: .customLong("base-url"), help: "Where the backend is.")
    var baseURL: String?

    @Option(help: "Between automatic protected requests; none unless given.")
    var every: DurationArgument?

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

    @OptionGroup(title: "Display") var display: DisplayOptions

    func run() async throws {
        let environment = LiveEnvironment()
        let dialect = try environment.catalogue.dialect(named: profile)
        let origin = try origin(for: dialect)
        let finder = CredentialFinder(
            profile: dialect.name,
            variables: environment.variables,
            file: credentials
        )
        let configuration = try environment.networkConfiguration(caFile: caFile)
        let vault = try vault.vault(
            for: dialect.name,
            at: origin.description,
            usual: .file,
            environment: environment
        )
        // Once the screen is up nobody can be asked any more.
        let found = try finder.find(dialect.credentials, asks: await !vault.mayHoldSession())
        try await withNetwork(configuration) { network in
            let run = SessionRun(
                profile: dialect.name,
                dialect: try await SandboxFeed(network: network, origin: origin)
                    .added(to: dialect, time: environment.time),
                origin: origin,
                vault: vault,
                credentials: found,
                fingerprinter: environment.fingerprinter(),
                requestEvery: every?.seconds,
                display: display,
                environment: environment,
                seed: environment.randomSeed()
            )
            try await run.run(on: network)
        }
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

extension Vault {
    /// Whether no login may be needed; one that cannot be read may hold anything.
    fileprivate func mayHoldSession() async -> Bool {
        do throws(VaultProblem) {
            return try await load()?.pair != nil
        } catch {
            return true
        }
    }
}
