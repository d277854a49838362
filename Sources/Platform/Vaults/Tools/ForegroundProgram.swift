import CProcess
import CSignals
import Client
import Glibc
package import Model

/// Runs a program in place of this one, as far as the shell can tell.
///
/// The program has the streams, the other descriptors, the process group and the terminal that this
/// process was started with. Signals are passed on to it.
package struct ForegroundProgram: Sendable {
    /// The state that this process was started with, and passes on.
    package struct Inheritance: Sendable {
        /// The ignored signals, one bit each.
        fileprivate let ignored: UInt
        fileprivate let descriptors: Set<Int32>
        fileprivate let fileMode: mode_t

        /// Creates a record of the present; to be created before anything is opened or caught.
        ///
        /// - Parameter fileMode: The file mode creation mask that the process was started with.
        package init(fileMode: UInt32) {
            ignored = cs_ignored()
            descriptors = Self.openDescriptors
            self.fileMode = fileMode
        }

        /// The descriptors from 3 on, below `limit`, that a program would inherit now.
        fileprivate static var openDescriptors: Set<Int32> {
            Set(
                (3..<limit).filter { descriptor in
                    let flags = fcntl(descriptor, F_GETFD)
                    return flags >= 0 && flags & FD_CLOEXEC == 0
                }
            )
        }

        fileprivate static let limit: Int32 = 1024
    }

    package enum Ending: Sendable, Equatable {
        case exited(Int32)
        case signaled(Int32)
    }

    private let arguments: [String]
    private let path: String
    private let variables: [String: String]
    private let inheritance: Inheritance

    /// Finds a program; `nil` if it is not installed.
    ///
    /// - Parameters:
    ///   - arguments: Its name, or its path, and its arguments.
    ///   - variables: The environment of this process, in whose PATH it is searched for.
    ///   - inheritance: The state that this process was started with.
    package init?(
        _ arguments: [String],
        variables: [String: String],
        inheritance: Inheritance
    ) {
        guard let name = arguments.first, let path = ChildSpawn.path(of: name, in: variables)
        else { return nil }
        self.arguments = arguments
        self.path = path
        self.variables = variables
        self.inheritance = inheritance
    }

    /// Returns whether there is a file of that name, be it executable or not.
    package static func exists(_ name: String, in variables: [String: String]) -> Bool {
        ChildSpawn.paths(of: name, in: variables).contains { access($0, F_OK) == 0 }
    }

    /// Runs the program to its end on a separate thread.
    ///
    /// - Parameter more: The variables that are added to its environment.
    /// - Returns: The end of the program.
    /// - Throws: If it cannot be started.
    package func run(adding more: [String: String]) async throws(VaultProblem) -> Ending {
        try await BlockingQueue().run { () throws(VaultProblem) in try start(more) }
    }

    private func start(_ more: [String: String]) throws(VaultProblem) -> Ending {
        cs_relay_begin(inheritance.ignored)
        let ours = umask(inheritance.fileMode)
        let result = ChildSpawn.start(
            path,
            arguments,
            variables,
            adding: more,
            group: .shared,
            ignored: inheritance.ignored
        ) { actions in
            let open = Inheritance.openDescriptors
            for descriptor in 3..<Inheritance.limit
            where !inheritance.descriptors.contains(descriptor) {
                // Another thread may open one until the program starts; above the limit, closing one
                // that is not open fails.
                guard descriptor < OpenFileLimit.ofPrograms || open.contains(descriptor) else {
                    continue
                }
                posix_spawn_file_actions_addclose(&actions, descriptor)
            }
            cp_close_from(&actions, Inheritance.limit)
        }
        umask(ours)
        switch result {
        case .success(let child): return wait(for: child)
        case .failure(let failure): throw .cannot("start", arguments[0], failure.code)
        }
    }

    private func wait(for child: pid_t) -> Ending {
        cs_relay_to(child)
        var information = siginfo_t()
        while waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        // From here on another process may get the number.
        cs_relay_end()
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? .exited((status >> 8) & 0xFF) : .signaled(signal)
    }
}
