import Basics
import CProcess
import Glibc

/// Starts programs by `posix_spawn`.
package enum ChildSpawn {
    struct Failure: Error {
        /// An `errno`.
        let code: Int32
    }

    /// The process group of a child.
    enum Group {
        /// That of this process.
        case shared
        case own
        /// A group of its own in a session without a terminal.
        case ownSession

        fileprivate var flag: Int32 {
            switch self {
            case .shared: 0
            case .own: Int32(POSIX_SPAWN_SETPGROUP)
            // `POSIX_SPAWN_SETSID`, which the Glibc module does not define.
            case .ownSession: 0x80
            }
        }
    }

    /// Starts a program with no signal blocked or handled.
    ///
    /// - Parameters:
    ///   - path: The path of its file.
    ///   - arguments: Its arguments from its name on, which must contain no secrets.
    ///   - variables: The environment of this process, of which it gets no credentials.
    ///   - more: The variables that are added to that.
    ///   - group: Its process group.
    ///   - ignored: The signals that it ignores if this process does, one bit each.
    ///   - prepare: Adds what is done to its descriptors before it starts.
    /// - Returns: Its process id.
    static func start(
        _ path: String,
        _ arguments: [String],
        _ variables: [String: String],
        adding more: [String: String] = [:],
        group: Group,
        ignored: UInt = 0,
        _ prepare: (inout posix_spawn_file_actions_t) -> Void
    ) -> Result<pid_t, Failure> {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        prepare(&actions)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigfillset(&signals)
        for number in Int32(1)..<32 where ignored >> UInt(number) & 1 == 1 {
            sigdelset(&signals, number)
        }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        let flags = Int32(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK) | group.flag
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var argv = arguments.map { strdup($0) } + [nil]
        var settings = environment(variables, more).map { strdup("\($0)=\($1)") } + [nil]
        defer { for word in argv + settings { free(word) } }
        var pid: pid_t = 0
        let result = OpenFileLimit.withInherited {
            posix_spawn(&pid, path, &actions, &attributes, &argv, &settings)
        }
        return result == 0 ? .success(pid) : .failure(Failure(code: result))
    }

    /// Returns the environment of a program: that of this process without the variables of this
    /// program's own, which have the credentials of every profile, and what the program is given.
    static func environment(
        _ variables: [String: String],
        _ more: [String: String]
    ) -> [String: String] {
        variables.filter { !isCredential($0.key) }.merging(more) { $1 }
    }

    /// Returns whether only this program reads a variable, which is then a credential.
    package static func isCredential(_ variable: String) -> Bool {
        variable.begins(with: ownPrefix) && !addresses.contains(variable)
    }

    /// The prefix of the variables that only this program reads, such as
    /// `AUTHTOP_ACME_CLIENT_SECRET`.
    private static let ownPrefix = "AUTHTOP_"
    /// The variables that a program under `proxy --exec` passes on to those that it runs.
    private static let addresses: Set = [
        "AUTHTOP_CA_FILE", "AUTHTOP_CONTROL_URL", "AUTHTOP_PROXY_URL",
    ]

    /// Returns the path of a program; `nil` if it is not installed.
    ///
    /// - Parameters:
    ///   - name: A path, or a name to search for in the folders of PATH.
    ///   - variables: The environment.
    /// - Returns: The path.
    static func path(of name: String, in variables: [String: String]) -> String? {
        paths(of: name, in: variables).first { access($0, X_OK) == 0 }
    }

    /// Returns where a program may be: its path, or its name in the folders of PATH.
    static func paths(of name: String, in variables: [String: String]) -> [String] {
        let folders = (variables["PATH"] ?? "").parts(at: ":").filter { $0.begins(with: "/") }
        return name.has("/") ? [name] : folders.map { "\($0)/\(name)" }
    }
}
