package import Basics
import Client
import Glibc
package import Model

/// Runs a program to its end.
///
/// Secrets are passed through its standard streams, never in arguments, which other users can read.
///
/// A program that is terminated, because of its timeout or because this process ends, is terminated
/// with all its descendants.
package struct ChildProgram: Sendable {
    package enum Ending: Sendable, Equatable {
        case exited(Int32)
        case signaled(Int32)
        /// The program was terminated because it reached its timeout.
        case tookTooLong
        /// The program was terminated because it exceeded the output limit.
        case wroteTooMuch
    }

    package struct Result: Sendable {
        package var ending: Ending
        package var output: [UInt8]
        /// The beginning of its standard error.
        var errors: [UInt8]
    }

    package static let timeout = Duration.seconds(10)

    private let name: String
    private let path: String
    private let variables: [String: String]
    private let hasTerminal: Bool
    private let outputLimit: Int
    private let timeout: Duration
    private let time: any Timekeeper

    /// Finds a program; `nil` if it is not installed.
    ///
    /// - Parameters:
    ///   - name: A path, or a name to search for in the folders of PATH.
    ///   - variables: The environment of the program.
    ///   - hasTerminal: Whether the program may prompt on the terminal; on a full-screen terminal
    ///     its prompt would not be visible.
    ///   - outputLimit: The maximum size of its output, in bytes.
    ///   - timeout: The time that it may run.
    ///   - time: The clock for the timeout.
    package init?(
        _ name: String,
        variables: [String: String],
        hasTerminal: Bool,
        outputLimit: Int,
        timeout: Duration = Self.timeout,
        time: any Timekeeper
    ) {
        guard let path = ChildSpawn.path(of: name, in: variables) else { return nil }
        self.name = name
        self.path = path
        self.variables = variables
        self.hasTerminal = hasTerminal
        self.outputLimit = outputLimit
        self.timeout = timeout
        self.time = time
    }

    /// Runs the program on the calling thread, which must not be one of the cooperative pool.
    ///
    /// - Parameters:
    ///   - arguments: The arguments, which must contain no secrets.
    ///   - input: Its standard input.
    /// - Returns: The end of the program, and its output.
    /// - Throws: If the program cannot be started.
    func run(_ arguments: [String], input: [UInt8] = []) throws(VaultProblem) -> Result {
        var streams = try ToolStreams(tool: name)
        let loan = hasTerminal ? TerminalLoan() : nil
        SignalCatcher.begin(catchesStops: false)
        defer { SignalCatcher.end() }
        let terminal: ToolStreams.Terminal =
            hasTerminal ? (loan == nil ? .background : .foreground) : .none
        let child = try streams.start(path, arguments, variables, terminal: terminal)
        var rest = input[...]
        defer { rest = [] }
        let ending = follow(child, &streams, &rest, loan)
        let isInOrder = if case .exited = ending { true } else { false }
        loan?.takeBack(from: child.pid, leavesModes: isInOrder)
        if let signal = SignalCatcher.askedToEnd { SignalCatcher.die(of: signal) }
        // Ctrl-C was also meant for this process, but reached only the program's process group.
        if loan != nil, ending == .signaled(SIGINT) { SignalCatcher.die(of: SIGINT) }
        return Result(ending: ending, output: streams.output, errors: streams.errors)
    }

    private func follow(
        _ child: ToolProcess,
        _ streams: inout ToolStreams,
        _ rest: inout ArraySlice<UInt8>,
        _ loan: TerminalLoan?
    ) -> Ending {
        var deadline = time.now + timeout
        while true {
            let state = child.state()
            if SignalCatcher.askedToEnd != nil {
                if state == .running || state == .stopped { child.end() }
                return .tookTooLong
            }
            streams.exchange(&rest)
            if streams.output.count > outputLimit {
                if state == .running || state == .stopped { child.end() }
                return .wroteTooMuch
            }
            switch state {
            case .ended(let ending):
                // Background processes of a shell ignore Ctrl-C.
                if case .signaled = ending { child.end(hasEnded: true) }
                return ending
            case .stopped:
                let stoppedAt = time.now
                stop(with: child, loan)
                // The time during which the job is stopped does not count.
                deadline = deadline + (time.now - stoppedAt)
            case .running: break
            }
            if time.now >= deadline {
                child.end()
                return .tookTooLong
            }
        }
    }

    /// Stops this process like the program, and continues the program when this process is
    /// continued.
    private func stop(with child: ToolProcess, _ loan: TerminalLoan?) {
        loan?.takeBack(from: child.pid, leavesModes: false)
        if hasTerminal { _ = SignalCatcher.stop() }
        loan?.lend(to: child.pid)
        child.resume()
    }

    /// Runs the program on a separate thread.
    package func runAside(_ arguments: [String]) async throws(VaultProblem) -> Result {
        try await BlockingQueue().run { () throws(VaultProblem) in try run(arguments) }
    }
}
