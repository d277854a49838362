import CProcess
import Glibc

/// The parts that start a program whose output is read.
///
/// Its output is a pair of sockets, because those can be made to close on exec from the start:
/// programs that other tests start at the same time do not keep them open.
struct Spawn {
    struct Failure: Error {
        let path: String
        let reason: String
    }

    private let path: String
    private let arguments: [String]
    private let environment: [String: String]
    /// To read from.
    let output: Int32
    let errors: Int32
    private let outputEnd: Int32
    private let errorsEnd: Int32

    init(_ path: String, _ arguments: [String], environment: [String: String]) throws {
        self.path = path
        self.arguments = [path] + arguments
        self.environment = environment
        (output, outputEnd) = try Self.pair(for: path)
        (errors, errorsEnd) = try Self.pair(for: path)
    }

    /// Starts it once.
    mutating func start() throws -> pid_t {
        defer {
            close(outputEnd)
            close(errorsEnd)
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, outputEnd, 1)
        posix_spawn_file_actions_adddup2(&actions, errorsEnd, 2)
        // A socket of another test that it held open would never end for that one.
        cp_close_from(&actions, 3)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        Self.useDefaultSignals(&attributes)
        var argv = arguments.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for word in argv + variables { free(word) } }
        var pid: pid_t = 0
        let result = posix_spawn(&pid, path, &actions, &attributes, &argv, &variables)
        guard result == 0 else {
            throw Failure(path: path, reason: String(cString: strerror(result)))
        }
        return pid
    }

    private static func pair(for path: String) throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            throw Failure(path: path, reason: String(cString: strerror(errno)))
        }
        return (ends[0], ends[1])
    }

    /// The signals that the test runner ignores or blocks are its own affair.
    private static func useDefaultSignals(_ attributes: inout posix_spawnattr_t) {
        var all = sigset_t()
        sigfillset(&all)
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK)
        )
    }
}
