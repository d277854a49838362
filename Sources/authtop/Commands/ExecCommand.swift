import ArgumentParser
import Basics
import Client
import Model
import Platform
import UI

struct ExecCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exec",
        abstract: "Run a program with a valid access token in its environment.",
        usage: "authtop exec [<options>] <profile> -- <command> ...",
        discussion: """
            The token is that of authtop token at the start of the program; the variable does not \
            change while the program runs. AUTHTOP_TOKEN_URL is an address on this machine that \
            answers GET with the current token as long as the program runs, and with \
            Accept: application/json with its end. The program has the streams and the process \
            group of authtop, which passes signals on to it.

            authtop exec acme --env API_TOKEN -- python3 sync.py

            Exit codes: that of the program, or 128 + n if signal n ended it. If it was not \
            started: 127 there is no such program, 126 it is not executable, 1 signed out or refused, \
            2 bad input, 3 not reachable.
            """
    )

    @OptionGroup var options: OperationOptions

    @Option(
        help: ArgumentHelp("The name of the environment variable.", valueName: "name")
    )
    var env = "AUTHTOP_TOKEN"

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("The program and its arguments.", valueName: "command")
    )
    var command: [String] = []

    func validate() throws {
        guard !command.isEmpty else {
            throw ValidationError("Missing expected argument '-- <command>'")
        }
        guard env.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil else {
            throw ValidationError(
                "--env: expected letters, digits and underscores, not beginning with a digit"
            )
        }
        guard env != TokenEndpoint.variable else {
            throw ValidationError("--env: \(env) has the address of the token: expected another")
        }
    }

    func run() async throws {
        let inheritance = ForegroundProgram.Inheritance(
            fileMode: ProcessGuard.inheritedFileMode
        )
        let environment = LiveEnvironment()
        guard
            let program = ForegroundProgram(
                command,
                variables: environment.variables,
                inheritance: inheritance
            )
        else {
            let exists = ForegroundProgram.exists(command[0], in: environment.variables)
            leave(
                exists ? 126 : 127,
                "\(command[0]) \(exists ? "is not executable" : "was not found")"
            )
        }
        let run = try await options.run(printsEvents: false)
        switch try await run.run(program, tokenIn: env) {
        case .success(.exited(let code)): ProgramExit.leave(code)
        case .success(.signaled(let signal)): ProgramExit.leave(128 + signal)
        case .failure(let problem): leave(126, problem.message)
        case nil: return
        }
    }

    /// Ends as a shell does that cannot start a program.
    private func leave(_ code: Int32, _ message: String) -> Never {
        StandardError.write("authtop: exec: \(message)".visibleInOneLine)
        ProgramExit.leave(code)
    }
}
