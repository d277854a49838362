import ArgumentParser
import Dialects

struct LogoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "End the stored session, here and at the backend.",
        discussion: """
            The tokens are erased here first, whatever the network does; what the backend could \
            not be told is told at the next start.

            Exit codes: 0 signed out, 1 nobody was signed in, 2 bad input, 3 not erased.
            """
    )

    @OptionGroup var options: ActOptions

    @Flag(name: .customLong("all"), help: "On every device, where the backend can do that.")
    var isEverywhere = false

    @Flag(help: "Print the events as JSON lines instead.")
    var json = false

    func run() async throws {
        let run = try await options.run(printsEvents: json)
        let dialect = run.chosen.dialect
        guard !isEverywhere || dialect.logoutScopes.contains(.everywhere) else {
            throw CommandFailure(
                .badInput,
                "--all: \(dialect.name) has no logout everywhere; without --all it is here only"
            )
        }
        let scope: LogoutScope = isEverywhere ? .everywhere : .this
        try await run.run(LogoutAct(profile: run.chosen.name, scope: scope))
    }
}
