import ArgumentParser
import Dialects

struct SessionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "List the user's active sessions, where the backend does, or end one.",
        discussion: """
            Exit codes: 0 done, 1 signed out or no such session, 2 the backend does not offer it, \
            3 not reachable.
            """
    )

    @OptionGroup var options: ProfileOptions

    @Option(help: "End the session of this id.")
    var end: String?

    @Flag(help: "Print one JSON object a session instead.")
    var json = false

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let environment = LiveEnvironment()
        let chosen = try options.storedProfile(in: environment)
        let eventLog = try log.eventLog()
        var run = ActRun(
            chosen: chosen,
            credentials: try await chosen.credentials.findWithoutAsking(
                chosen.dialect.credentials
            ),
            printsEvents: false,
            log: eventLog,
            environment: environment
        )
        run.asksSandbox = true
        run.printsObjects = json
        try await run.run(SessionsAct(profile: chosen.name, ending: end))
    }
}
