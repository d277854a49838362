import ArgumentParser
import Dialects
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

    @Option(
        name: .customLong("import"),
        help: ArgumentHelp(
            "Go on with a pair of tokens: - for stdin, or a file of mode 0600.",
            discussion: """
                JSON, as the backend answers or with the usual names, lines such as \
                accessToken = …, with the names of an app's key chain, or two lines: the access \
                token, then the refresh token.
                """,
            valueName: "-|file"
        ),
        completion: .file()
    )
    var importPlace: String?

    @OptionGroup(title: "Display") var display: DisplayOptions

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let environment = LiveEnvironment()
        let chosen = try await options.openedProfile(in: environment)
        let eventLog = try log.eventLog(of: chosen)
        var imported: IssuedTokens?
        if let importPlace {
            imported = try await chosen.imported(from: importPlace, in: environment)
        }
        if importPlace == "-", display.wantsScreen { StandardInput.becomeTerminal() }
        let found =
            imported == nil
            ? try await chosen.foundCredentials()
            : try await chosen.credentials.findWithoutAsking(chosen.dialect.credentials)
        try await withNetwork(chosen.network) { [imported] network in
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
                log: eventLog,
                localData: chosen.vault is MemoryVault ? nil : chosen.localData,
                imported: imported
            )
            try await run.run(on: network)
        }
    }
}

extension ChosenProfile {
    /// The pair that a person brings.
    ///
    /// - Throws: `CommandFailure` where a session is stored already, or none of its tokens lives.
    fileprivate func imported(
        from place: String,
        in environment: LiveEnvironment
    ) async throws -> IssuedTokens {
        guard await !mayHoldSession() else {
            throw CommandFailure(
                .badInput,
                "--import: a session of \(name) is stored already: log out first, or "
                    + "--vault memory"
            )
        }
        let imported = try ImportedPair(from: place, for: self, in: environment)
        try imported.check()
        for remark in imported.remarks { StandardError.write("authtop: \(remark)") }
        return imported.pair.tokens
    }
}
