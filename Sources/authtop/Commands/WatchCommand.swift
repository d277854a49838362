import ArgumentParser
import Networking
import Vaults

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Log in to a backend, or go on with the stored session, and watch it.",
        discussion: """
            A session that was left is taken up again without its credentials.

            Credentials come from AUTHTOP_<PROFILE>_<CREDENTIAL>, such as \
            AUTHTOP_VOLTYKS_PASSWORD, from a file, from a command that the profile names, or from \
            a prompt; never from an argument.
            """
    )

    @OptionGroup var options: ProfileOptions

    @Option(help: "Between automatic protected requests; none unless given.")
    var every: DurationArgument?

    @OptionGroup(title: "Display") var display: DisplayOptions

    func run() async throws {
        let environment = LiveEnvironment()
        let chosen = try options.profile(in: environment)
        let found = try await chosen.foundCredentials()
        try await withNetwork(chosen.network) { network in
            let run = SessionRun(
                profile: chosen.name,
                dialect: try await SandboxFeed(network: network, origin: chosen.origin)
                    .added(to: chosen.dialect, time: environment.time),
                origin: chosen.origin,
                vault: chosen.vault,
                credentials: found,
                credentialOrigins: chosen.credentials.origins(of: found.values),
                fingerprinter: environment.fingerprinter(),
                requestEvery: every?.seconds,
                display: display,
                environment: environment,
                seed: environment.randomSeed(),
                statistics: chosen.vault is MemoryVault ? nil : chosen.statistics
            )
            try await run.run(on: network)
        }
    }
}
