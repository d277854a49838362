import ArgumentParser
import Profiles

struct SessionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "List the user's active sessions, if the backend supports it, or end one.",
        discussion: """
            Exit codes: 0 done, 1 signed out or no such session, 2 the backend does not offer it, \
            3 not reachable.
            """
    )

    @OptionGroup var options: OperationOptions

    @Option(help: "End the session with this id.")
    var end: String?

    @Flag(help: "Print one JSON object per session.")
    var json = false

    func run() async throws {
        var run = try await options.run(printsEvents: false)
        run.asksSandbox = true
        run.printsObjects = json
        try await run.run(SessionsOperation(profile: run.chosen.name, ending: end))
    }
}
