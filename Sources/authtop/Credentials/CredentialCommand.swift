import Basics
import Client
import Model
import Platform
import Profiles

/// A command of the user, such as a password manager, whose first line of output is a credential.
struct CredentialCommand {
    static let sizeLimit = CredentialFile.sizeLimit
    /// The time that a command may take that can ask its user on the terminal, in seconds.
    private static let timeToAnswer = 120

    /// The name of the credential.
    let credential: String
    /// The program and its arguments.
    let arguments: [String]
    /// Its environment.
    let variables: [String: String]
    let time: any Timekeeper

    /// Runs the command once.
    ///
    /// - Returns: The first line of its output.
    /// - Throws: `CommandFailure` that names the program, but not its arguments or output.
    func value() async throws -> Secret {
        let output = try await output()
        let line = String(decoding: output.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        let value = line.part(upTo: "\r").map(String.init) ?? line
        guard !value.isEmpty else { throw failure("printed an empty first line") }
        return Secret(value)
    }

    private var timeout: Int {
        StandardInput.isTerminal
            ? Self.timeToAnswer : Int(ChildProgram.timeout.components.seconds)
    }

    private func output() async throws -> [UInt8] {
        let program = arguments.first.flatMap { name in
            ChildProgram(
                name,
                variables: variables,
                // A password manager may prompt for its own password.
                hasTerminal: true,
                outputLimit: Self.sizeLimit,
                timeout: .seconds(timeout),
                time: time
            )
        }
        guard let program else { throw failure("was not found") }
        let result: ChildProgram.Result
        do throws(VaultProblem) {
            result = try await program.runAside(Array(arguments.dropFirst()))
        } catch {
            throw failure("could not be run")
        }
        switch result.ending {
        case .exited(0): return result.output
        case .exited(let code): throw failure("ended with \(code)")
        case .signaled(let signal): throw failure("was terminated by signal \(signal)")
        case .tookTooLong: throw failure("took longer than \(timeout) s")
        case .wroteTooMuch: throw failure("printed more than 64 KiB")
        }
    }

    private func failure(_ arguments: String) -> CommandFailure {
        let program = (self.arguments.first ?? "").inOneLine(limit: 60)
        return CommandFailure(.badInput, "\(credential)_command: \(program) \(arguments)")
    }
}

extension CredentialCommand {
    /// Runs the command for a login that a run begins by itself.
    func valueForLogin() async throws(CredentialProblem) -> Secret {
        do {
            return try await value()
        } catch {
            let detail = (error as? CommandFailure)?.message
            throw CredentialProblem(credential: credential, detail: detail)
        }
    }
}
