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

/// Writes a line to stdout at once.
func printResult(_ line: String) {
    write(line, to: STDOUT_FILENO)
}

/// Writes a line to stderr.
func printProgress(_ line: String) {
    write(line, to: STDERR_FILENO)
}

private func write(_ line: String, to descriptor: Int32) {
    var rest = Array((line + "\n").utf8)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
    }
}
