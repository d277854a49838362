import ArgumentParser
import Basics
import Profiles

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Print a valid access token of the stored session, and nothing else.",
        usage: "authtop token [<options>] <profile>",
        discussion: """
            The token is renewed first if that is due, together with any watch of the same session. \
            Without a session, it logs in if the credentials are available without asking.

            authtop token acme --header | curl -H @- https://api.example.com/me

            Exit codes: 0 printed, 1 signed out or refused, 2 bad input, 3 not reachable: the \
            session is kept.
            """
    )

    @OptionGroup var options: OperationOptions

    @Flag(help: "Print the request header that carries the token.")
    var header = false

    @Flag(help: "Print it even on a terminal, where it stays readable.")
    var force = false

    func run() async throws {
        guard force || !StandardOutput.isTerminal else {
            throw CommandFailure(
                .badInput,
                "token: stdout is a terminal, where the token would stay readable: redirect it, use "
                    + "authtop exec, or add --force"
            )
        }
        let run = try await options.run(printsEvents: false)
        let dialect = run.chosen.dialect
        guard !header || dialect.hasTokenHeader else {
            throw CommandFailure(
                .badInput,
                "--header: \(run.chosen.name) does not send its access token in a header"
            )
        }
        guard let token = try await run.token() else { return }
        let line = header ? dialect.tokenHeader(token).map { "\($0.name): \($0.value)" } : nil
        _ = StandardOutput.write(line ?? token.secret.reveal())
    }
}
