import Glibc
package import Lifecycle
package import Timekeeping

/// A program that is run to its end: secrets go in and out by its standard streams, never by
/// arguments, which anybody may read.
///
/// What it starts ends with it where it is ended: after its time, and with this process.
package struct ChildProgram: Sendable {
    package enum Ending: Sendable, Equatable {
        case exited(Int32)
        case signaled(Int32)
        /// It was ended, because it took longer than it may.
        case tookTooLong
        /// It was ended, because it wrote more than it may.
        case wroteTooMuch
    }

    package struct Result: Sendable {
        package var ending: Ending
        package var output: [UInt8]
        /// The first of it.
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

    /// `nil` when it is not installed.
    ///
    /// - Parameters:
    ///   - name: A path, or what is sought in the folders of the PATH.
    ///   - variables: Its environment.
    ///   - hasTerminal: Whether it may ask a person on the terminal; on a screen nobody would see
    ///     it.
    ///   - outputLimit: In bytes.
    ///   - timeout: How long it may take.
    ///   - time: For that.
    package init?(
        _ name: String,
        variables: [String: String],
        hasTerminal: Bool,
        outputLimit: Int,
        timeout: Duration = Self.timeout,
        time: any Timekeeper
    ) {
        let folders = (variables["PATH"] ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
        let paths = name.contains("/") ? [name] : folders.map { "\($0)/\(name)" }
        guard let path = paths.first(where: { access($0, X_OK) == 0 }) else { return nil }
        self.name = name
        self.path = path
        self.variables = variables
        self.hasTerminal = hasTerminal
        self.outputLimit = outputLimit
        self.timeout = timeout
        self.time = time
    }

    /// Runs it once, on this thread, which must not be one of the cooperative pool.
    ///
    /// - Parameters:
    ///   - arguments: Nothing secret.
    ///   - input: All that it gets to read.
    /// - Returns: How it ended and what it wrote.
    /// - Throws: When it cannot be started.
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
        // Ctrl-C was meant for us too, and went to the program alone.
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
                // What a shell runs in the background does not heed Ctrl-C.
                if case .signaled = ending { child.end(hasEnded: true) }
                return ending
            case .stopped:
                let stoppedAt = time.now
                stop(with: child, loan)
                // Nobody waits while the job is stopped.
                deadline = deadline + (time.now - stoppedAt)
            case .running: break
            }
            if time.now >= deadline {
                child.end()
                return .tookTooLong
            }
        }
    }

    /// Stops as the program did, and lets it run again when the shell lets us.
    private func stop(with child: ToolProcess, _ loan: TerminalLoan?) {
        loan?.takeBack(from: child.pid, leavesModes: false)
        if hasTerminal { _ = SignalCatcher.stop() }
        loan?.lend(to: child.pid)
        child.resume()
    }

    /// The same on a thread of its own.
    package func runAside(_ arguments: [String]) async throws(VaultProblem) -> Result {
        try await BlockingQueue().run { () throws(VaultProblem) in try run(arguments) }
    }
}
