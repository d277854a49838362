import ArgumentParser
import Profiles
import UI

struct RefreshCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh",
        abstract: "Renew the stored session now.",
        usage: "authtop refresh [<options>] <profile>",
        discussion: """
            Exit codes: 0 renewed, 1 signed out or refused, 2 request rejected, 3 not reachable: \
            you stay logged in.
            """
    )

    @OptionGroup var options: OperationOptions

    @Flag(help: "Print the events as JSON lines.")
    var json = false

    func run() async throws {
        let run = try await options.run(printsEvents: json)
        run.report(try await run.refresh())
    }
}
