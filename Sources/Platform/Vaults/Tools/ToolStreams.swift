import CProcess
import Client
import Glibc
import Model

/// The standard streams of a tool.
///
/// Its input is a socket, because writing to a socket without a reader can be kept from raising
/// SIGPIPE.
struct ToolStreams: ~Copyable {
    private let tool: String
    private var input: Stream
    private var outputEnd: Stream
    private var errorsEnd: Stream
    private(set) var output: [UInt8] = []
    private(set) var errors: [UInt8] = []

    /// This process's end and the child's end, each of which is closed once.
    private struct Stream {
        var ours: Int32
        var theirs: Int32

        mutating func closeOurs() {
            if ours >= 0 { close(ours) }
            ours = -1
        }

        mutating func closeTheirs() {
            if theirs >= 0 { close(theirs) }
            theirs = -1
        }

        mutating func closeBoth() {
            closeOurs()
            closeTheirs()
        }
    }

    init(tool: String) throws(VaultProblem) {
        self.tool = tool
        input = Stream(ours: -1, theirs: -1)
        outputEnd = Stream(ours: -1, theirs: -1)
        errorsEnd = Stream(ours: -1, theirs: -1)
        guard let first = Self.pair(), let second = Self.pair(), let third = Self.pair() else {
            throw .cannot("start", tool, errno)
        }
        input = first
        outputEnd = second
        errorsEnd = third
    }

    deinit {
        for var stream in [input, outputEnd, errorsEnd] { stream.closeBoth() }
    }

    /// The number of bytes of standard error that are kept.
    private static let errorsLimit = 4_096

    private static func pair() -> Stream? {
        var ends: [Int32] = [-1, -1]
        let type =
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            | Int32(SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
        // Only this process's end is nonblocking: a program expects its own to block.
        _ = fcntl(ends[1], F_SETFL, fcntl(ends[1], F_GETFL) & ~O_NONBLOCK)
        return Stream(ours: ends[0], theirs: ends[1])
    }

    /// The child's access to the terminal.
    enum Terminal {
        /// The child has a session of its own without a terminal.
        case none
        /// The child has the terminal, but not in the foreground.
        case background
        /// The child has the terminal in the foreground.
        case foreground
    }

    /// Starts the program in a process group of its own.
    mutating func start(
        _ path: String,
        _ arguments: [String],
        _ variables: [String: String],
        terminal: Terminal
    ) throws(VaultProblem) -> ToolProcess {
        let result = ChildSpawn.start(
            path,
            [path] + arguments,
            variables,
            group: terminal == .none ? .ownSession : .own
        ) { actions in
            posix_spawn_file_actions_adddup2(&actions, input.theirs, 0)
            posix_spawn_file_actions_adddup2(&actions, outputEnd.theirs, 1)
            posix_spawn_file_actions_adddup2(&actions, errorsEnd.theirs, 2)
            if terminal == .foreground {
                posix_spawn_file_actions_addopen(&actions, 3, "/dev/tty", O_RDWR | O_NOCTTY, 0)
                cp_take_foreground(&actions, 3)
            }
            // The child does not need the session's sockets, and would keep them open.
            cp_close_from(&actions, 3)
        }
        input.closeTheirs()
        outputEnd.closeTheirs()
        errorsEnd.closeTheirs()
        do throws(ChildSpawn.Failure) {
            return ToolProcess(pid: try result.get())
        } catch {
            throw .cannot("start", tool, error.code)
        }
    }

    /// Waits briefly for the streams to become ready, then writes and reads.
    mutating func exchange(_ rest: inout ArraySlice<UInt8>) {
        if rest.isEmpty { input.closeOurs() }
        var waits = [
            pollfd(fd: input.ours, events: Int16(POLLOUT), revents: 0),
            pollfd(fd: outputEnd.ours, events: Int16(POLLIN), revents: 0),
            pollfd(fd: errorsEnd.ours, events: Int16(POLLIN), revents: 0),
        ]
        poll(&waits, 3, 10)
        if input.ours >= 0, waits[0].revents != 0 {
            let count = rest.withUnsafeBytes { bytes in
                send(input.ours, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 { rest = rest.dropFirst(count) } else { input.closeOurs() }
        }
        Self.read(&outputEnd, into: &output)
        Self.read(&errorsEnd, into: &errors)
        errors.removeLast(max(0, errors.count - Self.errorsLimit))
    }

    private static func read(_ stream: inout Stream, into bytes: inout [UInt8]) {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        defer { buffer.wipe() }
        while stream.ours >= 0 {
            let count = Glibc.read(stream.ours, &buffer, buffer.count)
            if count < 0 { return }
            if count == 0 { return stream.closeOurs() }
            bytes += buffer.prefix(count)
        }
    }
}
