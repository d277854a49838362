import ArgumentParser
import Basics
import Profiles

struct SessionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "List the user's active sessions, if the backend supports it, or end one.",
        usage: "authtop sessions [<options>] <profile>",
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
        guard let outcome = try await run.sessions(ending: end) else { return }
        let text = ActiveSessionsText(
            list: outcome.value,
            moment: run.environment.time.moment,
            clock: run.clock
        )
        if json {
            for line in text.objects where !StandardOutput.write(line) { return }
        } else if let end {
            run.report("ended the session \(ActiveSessionsText.shown(end))", [])
        } else {
            run.report(text.message, text.lines)
        }
    }
}
