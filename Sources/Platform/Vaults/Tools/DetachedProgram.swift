import CProcess
import Glibc

/// A program that outlives this one, such as a browser.
package enum DetachedProgram {
    /// Starts a program in a session of its own, without standard streams.
    ///
    /// - Parameters:
    ///   - name: A path, or a name to search for in the folders of PATH.
    ///   - arguments: The arguments, which must contain no secrets.
    ///   - variables: Its environment.
    /// - Returns: Whether it was started.
    package static func start(
        _ name: String,
        _ arguments: [String],
        variables: [String: String]
    ) -> Bool {
        guard let path = ChildSpawn.path(of: name, in: variables) else { return false }
        let started = ChildSpawn.start(
            path,
            [name] + arguments,
            variables,
            group: .ownSession
        ) { actions in
            for descriptor in STDIN_FILENO...STDERR_FILENO {
                posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
            }
            // It would keep the session's sockets open, and that on which its redirect is awaited.
            cp_close_from(&actions, STDERR_FILENO + 1)
        }
        if case .success = started { return true }
        return false
    }
}
