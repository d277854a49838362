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
            If a live session is already stored, it is kept, and there is no login, unless --scope asks \
            for one.

            Exit codes: 0 logged in, 1 refused, 2 bad input, 3 not reachable or not saved.
            """
    )

    @OptionGroup var options: ProfileOptions

    @OptionGroup var browser: BrowserOptions

    @Option(
        help: """
            Log in for this scope in place of the profile's, also if a session is stored.
            """
    )
    var scope: String?

    @Flag(help: "Print the events as JSON lines.")
    var json = false

    @OptionGroup(title: "Log") var log: LogOptions

    func validate() throws {
        guard scope.map(Scopes.isScope) ?? true else {
            throw ValidationError("--scope: expected words such as \"read write\"")
        }
    }

    func run() async throws {
        let environment = LiveEnvironment()
        let chosen = try await options.storedProfile(in: environment)
        let otherLogin = try otherLogin(of: chosen)
        let eventLog = try log.eventLog(of: chosen)
        let credentials =
            otherLogin == nil
            ? try await chosen.foundCredentials()
            : try await chosen.credentials.find(chosen.dialect.credentials)
        if let notice = chosen.vault.notice { StandardError.write("authtop: \(notice)") }
        var run = OperationRun(
            chosen: chosen,
            credentials: credentials,
            printsEvents: json,
            log: eventLog,
            environment: environment,
            signIn: browser.signIn
        )
        run.otherLogin = otherLogin
        run.report(try await run.logIn())
    }

    /// Returns the dialect with the login for the scope, if one is given.
    private func otherLogin(of chosen: ChosenProfile) throws -> Dialect? {
        guard let scope else { return nil }
        guard let dialect = chosen.dialect.loggingIn(for: scope) else {
            throw CommandFailure(
                .badInput,
                "--scope: the login of \(chosen.name) names no scope: it is none of OAuth 2.0"
            )
        }
        return dialect
    }
}
