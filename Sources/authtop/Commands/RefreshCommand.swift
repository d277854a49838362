import ArgumentParser
import Dashboard
import Dialects

struct RefreshCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh",
        abstract: "Renew the stored session now.",
        discussion: """
            Exit codes: 0 renewed, 1 signed out or refused, 2 asked wrongly, 3 not reachable: \
            the session is kept.
            """
    )

    @OptionGroup var options: ProfileOptions

    @Flag(help: "Print the events as JSON lines instead.")
    var json = false

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let environment = LiveEnvironment()
        let chosen = try options.storedProfile(in: environment)
        let eventLog = try log.eventLog()
        let run = ActRun(
            chosen: chosen,
            credentials: try await chosen.credentials.findWithoutAsking(
                chosen.dialect.credentials
            ),
            printsEvents: json,
            log: eventLog,
            environment: environment
        )
        try await run.run(
            RefreshAct(
                profile: chosen.name,
                renewsByLogin: chosen.dialect.policy.renewal == .login,
                clock: ClockWords(utcOffsetSeconds: environment.utcOffsetSeconds)
            )
        )
    }
}
