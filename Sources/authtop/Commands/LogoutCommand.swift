import ArgumentParser
import Profiles

struct LogoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "End the stored session, or all of them, here and at the backend.",
        usage: "authtop logout [<options>] [<profile>]",
        discussion: """
            The tokens are erased locally first, whatever the network does. If the backend cannot \
            be notified, the logout is sent at the next start. If the profile names the address, the \
            provider's own session is ended, too, in the browser.

            Exit codes: 0 logged out, 1 no session was stored, or one of --all-profiles failed, \
            2 bad input, 3 not erased.
            """
    )

    @Argument(
        help: "The profile: \(DialectCatalogue.builtInNames), or a file of your own.",
        completion: .profiles
    )
    var profile: String?

    @OptionGroup var connection: ConnectionOptions

    @OptionGroup var browser: BrowserOptions

    @OptionGroup(title: "Log") var log: LogOptions

    @Flag(name: .customLong("all"), help: "End all sessions of the user, if the backend can.")
    var isEverywhere = false

    @Flag(
        name: .customLong("all-profiles"),
        help: "End every session that is stored here, of every profile and backend."
    )
    var isOfAllProfiles = false

    @Flag(name: .customLong("yes"), help: "Do not ask before --all-profiles.")
    var isConfirmed = false

    @Flag(help: "Print the events as JSON lines; with --all-profiles, one line per session.")
    var json = false

    func run() async throws {
        let environment = LiveEnvironment()
        guard !isOfAllProfiles else { return try await runAll(in: environment) }
        guard let profile else {
            throw CommandFailure(
                .badInput,
                "no session is named: name a profile, or use --all-profiles for all on this machine"
            )
        }
        let chosen = try await connection.storedProfile(named: profile, in: environment)
        let run = try await OperationRun(on: chosen, printsEvents: json, log: log, in: environment)
        let dialect = run.chosen.dialect
        guard !isEverywhere || dialect.logoutScopes.contains(.everywhere) else {
            throw CommandFailure(
                .badInput,
                "--all: \(dialect.name) has no logout everywhere; omit --all to end only this session"
            )
        }
        let scope: LogoutScope = isEverywhere ? .everywhere : .this
        run.report(try await run.logOut(scope, thenIn: browser))
        guard let message = await run.chosen.eraseAfterLogout(), !json else { return }
        _ = StandardOutput.write("\(run.chosen.name): \(message)")
    }

    private func runAll(in environment: LiveEnvironment) async throws {
        let isNarrower =
            profile != nil || isEverywhere || connection.baseURL != nil
            || connection.vault.vault != nil
        guard !isNarrower else {
            throw CommandFailure(
                .badInput,
                "--all-profiles excludes a profile, --all, --base-url, --vault"
            )
        }
        let logout = try await MachineLogout(
            of: connection,
            log: try log.eventLog(),
            in: environment
        )
        try Confirmation(question: logout.question, option: "--yes")
            .obtain(isGiven: isConfirmed)
        guard await logout.run(json: json, thenIn: browser) else {
            throw ExitCode(CommandFailure.Exit.notSo.rawValue)
        }
    }
}
