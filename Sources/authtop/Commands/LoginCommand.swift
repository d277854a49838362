import ArgumentParser
import Client
import Model
import Observer
import Profiles

struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Log in, and keep the session for watch, refresh and status.",
        usage: "authtop login [<options>] <profile>",
        discussion: """
            If a live session is already stored, it is kept, and there is no login.

            Exit codes: 0 logged in, 1 refused, 2 bad input, 3 not reachable or not saved.
            """
    )

    @OptionGroup var options: ProfileOptions

    @OptionGroup var browser: BrowserOptions

    @Flag(help: "Print the events as JSON lines.")
    var json = false

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let environment = LiveEnvironment()
        let chosen = try await options.storedProfile(in: environment)
        let eventLog = try log.eventLog(of: chosen)
        let credentials = try await chosen.foundCredentials()
        if let notice = chosen.vault.notice { StandardError.write("authtop: \(notice)") }
        let run = OperationRun(
            chosen: chosen,
            credentials: credentials,
            printsEvents: json,
            log: eventLog,
            environment: environment,
            signIn: browser.signIn
        )
        run.report(try await run.logIn())
    }
}
