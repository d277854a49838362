import Basics
import Client
import Model
import Platform
import Profiles

/// The tokens of a login, and the scope that its answer states.
struct CheckedLogin: Sendable {
    let tokens: IssuedTokens
    var scope: Set<String>?
}

/// The sessions of a check for which the profile's login is not used.
enum CheckLogin: Sendable {
    case command(LoginCommandLine)
    /// The only session.
    case imported(IssuedTokens)
    case user(UserLogin)

    /// Whether a user logs in, who does so once at a time.
    var needsUser: Bool {
        if case .user = self { true } else { false }
    }

    func tokens() async throws(CommandFailure) -> CheckedLogin {
        switch self {
        case .command(let command): CheckedLogin(tokens: try await command.tokens())
        case .imported(let tokens): CheckedLogin(tokens: tokens)
        case .user(let login): try await login.tokens()
        }
    }
}

/// A command line of the user that logs in and prints the answer: a script, or a login of a user.
struct LoginCommandLine: Sendable {
    /// A user may have to log in.
    private static let timeout = Duration.seconds(300)

    let line: String
    let dialect: Dialect
    let variables: [String: String]
    let time: any Timekeeper

    /// Runs the command once.
    ///
    /// - Throws: `CommandFailure`, which quotes no part of the command or of its output.
    func tokens() async throws(CommandFailure) -> IssuedTokens {
        guard
            let shell = ChildProgram(
                "/bin/sh",
                variables: variables,
                hasTerminal: true,
                outputLimit: PastedPair.sizeLimit,
                timeout: Self.timeout,
                time: time
            )
        else { throw failure("/bin/sh was not found") }
        let result: ChildProgram.Result
        do throws(VaultProblem) {
            result = try await shell.runAside(["-c", line])
        } catch {
            throw failure("it could not be run")
        }
        switch result.ending {
        case .exited(0): return try read(result.output)
        case .exited(let code): throw failure("it ended with \(code)")
        case .signaled(let signal): throw failure("it was terminated by signal \(signal)")
        case .tookTooLong: throw failure("it took longer than 5 m")
        case .wroteTooMuch: throw failure("it printed more than 256 KiB")
        }
    }

    private func read(_ output: [UInt8]) throws(CommandFailure) -> IssuedTokens {
        let answer = WireResponse(
            status: 200,
            headers: [WireHeader("Content-Type", "application/json")],
            body: output
        )
        if case .issued(let tokens) = dialect.readLogin(answer) { return tokens }
        do throws(PastedPair.Problem) {
            return try PastedPair(parsing: String(decoding: output, as: UTF8.self), by: dialect)
                .tokens
        } catch {
            throw failure("its output: \(error.description)")
        }
    }

    private func failure(_ text: String) -> CommandFailure {
        CommandFailure(.badInput, "--login-command: \(text)")
    }
}
