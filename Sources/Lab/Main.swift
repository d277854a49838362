import ArgumentParser
import Glibc

/// Runs the proofs of the lifecycle, which users that debug tokens do not need.
@main
struct Lab: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "authtop-lab",
        abstract: "Prove the lifecycle of authtop's sessions by simulation.",
        discussion: "Exit codes: 0 done, 1 something is not as it should be, 2 bad input.",
        subcommands: [SimulateCommand.self]
    )

    static func main() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
            printProgress(fullMessage(for: error))
            Glibc.exit(2)
        }
    }
}
