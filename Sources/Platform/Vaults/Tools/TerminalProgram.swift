import CProcess
import Client
import Glibc
package import Model

/// A program that has the terminal of this one while it runs, such as an editor.
///
/// It is a job of its own, so that Ctrl-C reaches it alone. A stop by Ctrl-Z is undone at once: the
/// shell, which could continue it, does not know of it.
package struct TerminalProgram: Sendable {
    /// The time between two looks at whether it still runs, in milliseconds.
    private static let interval: Int32 = 20

    private let arguments: [String]
    private let path: String
    private let variables: [String: String]

    /// Finds a program; `nil` if it is not installed.
    ///
    /// - Parameters:
    ///   - arguments: Its name, or its path, and its arguments, which must contain no secrets.
    ///   - variables: The environment of this process, of which it gets no credentials.
    package init?(_ arguments: [String], variables: [String: String]) {
        guard let name = arguments.first, let path = ChildSpawn.path(of: name, in: variables)
        else { return nil }
        self.arguments = arguments
        self.path = path
        self.variables = variables
    }

    /// Runs the program to its end on a separate thread.
    ///
    /// - Parameter isOver: Returns whether the program is to be ended, since this one ends.
    /// - Returns: The end of the program.
    /// - Throws: If it cannot be started, or this process does not have the terminal.
    package func run(
        until isOver: @escaping @Sendable () -> Bool
    ) async throws(VaultProblem) -> ForegroundProgram.Ending {
        try await BlockingQueue().run { () throws(VaultProblem) in try start(until: isOver) }
    }

    private func start(
        until isOver: () -> Bool
    ) throws(VaultProblem) -> ForegroundProgram.Ending {
        guard let loan = TerminalLoan() else {
            throw VaultProblem(message: "another program has the terminal")
        }
        let result = ChildSpawn.start(path, arguments, variables, group: .own) { actions in
            cp_take_foreground(&actions, STDIN_FILENO)
            // While a screen is shown, standard error is held back.
            posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
            cp_close_from(&actions, STDERR_FILENO + 1)
        }
        switch result {
        case .success(let pid):
            let child = ToolProcess(pid: pid)
            defer { loan.takeBack(from: pid, leavesModes: false) }
            return wait(for: child, until: isOver)
        case .failure(let failure): throw .cannot("start", arguments[0], failure.code)
        }
    }

    private func wait(
        for child: ToolProcess,
        until isOver: () -> Bool
    ) -> ForegroundProgram.Ending {
        while true {
            switch child.state() {
            case .ended(.exited(let code)): return .exited(code)
            case .ended(.signaled(let signal)): return .signaled(signal)
            case .ended(.tookTooLong), .ended(.wroteTooMuch), .running: break
            case .stopped: child.resume()
            }
            if isOver() {
                child.end()
                return .signaled(SIGTERM)
            }
            poll(nil, 0, Self.interval)
        }
    }
}
