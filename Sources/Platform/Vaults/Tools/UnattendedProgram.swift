package import Basics
import CProcess
import Glibc

/// A program that is started because of an event, and whose output is thrown away.
///
/// It gets its input as a file. It has a session of its own without a terminal, and none of this
/// program's credentials.
package struct UnattendedProgram: Sendable {
    /// The reason for which a program did not do its work.
    package enum Failure: Error, Sendable, Equatable {
        case missing
        /// With an `errno`.
        case notStarted(Int32)
        case exited(Int32)
        case signaled(Int32)
        /// It was ended because it reached its timeout, or the run ended.
        case tookTooLong
    }

    /// The time between two looks at a program that runs.
    private static let pause = Duration.milliseconds(20)

    private let arguments: [String]
    private let variables: [String: String]
    private let timeout: Duration
    private let time: any Timekeeper

    /// - Parameters:
    ///   - arguments: A path, or a name to search for in the folders of PATH, and the arguments,
    ///     which must contain no secrets.
    ///   - variables: The environment.
    ///   - timeout: The time that it may run.
    ///   - time: The clock for the timeout.
    package init(
        _ arguments: [String],
        variables: [String: String],
        timeout: Duration,
        time: any Timekeeper
    ) {
        self.arguments = arguments
        self.variables = variables
        self.timeout = timeout
        self.time = time
    }

    /// Runs it to its end, or until the calling task is cancelled, which ends it and all its
    /// descendants.
    ///
    /// - Parameter input: Its standard input.
    /// - Throws: If it cannot be started, or does not exit with 0.
    package func run(input: String) async throws(Failure) {
        let process = try start(input)
        let deadline = time.now + timeout
        while true {
            switch process.state() {
            case .ended(.exited(0)): return
            case .ended(.exited(let code)): throw .exited(code)
            case .ended(.signaled(let signal)): throw .signaled(signal)
            case .ended(.tookTooLong), .ended(.wroteTooMuch), .running, .stopped: break
            }
            let isCancelled = (try? await time.sleep(until: time.now + Self.pause)) == nil
            guard isCancelled || time.now >= deadline else { continue }
            await BlockingQueue().run { process.end() }
            throw .tookTooLong
        }
    }

    private func start(_ input: String) throws(Failure) -> ToolProcess {
        guard let name = arguments.first, let path = ChildSpawn.path(of: name, in: variables) else {
            throw .missing
        }
        let file = cp_memory_file()
        guard file >= 0 else { throw .notStarted(errno) }
        defer { close(file) }
        guard writeAll(input, to: file), lseek(file, 0, SEEK_SET) == 0 else {
            throw .notStarted(errno)
        }
        let started = ChildSpawn.start(
            path,
            arguments,
            variables,
            group: .ownSession
        ) { actions in
            posix_spawn_file_actions_adddup2(&actions, file, STDIN_FILENO)
            for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
                posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
            }
            cp_close_from(&actions, 3)
        }
        switch started {
        case .success(let pid): return ToolProcess(pid: pid)
        case .failure(let failure): throw .notStarted(failure.code)
        }
    }

    private func writeAll(_ text: String, to file: Int32) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
