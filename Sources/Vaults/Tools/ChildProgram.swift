import Glibc
package import Lifecycle
package import Timekeeping

/// A program that is run to its end: secrets go in and out by its standard streams, never by
/// arguments, which anybody may read.
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

    package static let patience = Duration.seconds(10)

    private let name: String
    private let path: String
    private let variables: [String: String]
    private let hasTerminal: Bool
    private let outputLimit: Int
    private let patience: Duration
    private let time: any Timekeeper

    /// Nil when it is not installed.
    ///
    /// - Parameters:
    ///   - name: A path, or what is sought in the folders of the PATH.
    ///   - variables: Its environment.
    ///   - hasTerminal: Whether it may ask a person on the terminal; on a screen nobody would see it.
    ///   - outputLimit: In bytes.
    ///   - patience: How long it may take.
    ///   - time: For that.
    package init?(
        _ name: String,
        variables: [String: String],
        hasTerminal: Bool,
        outputLimit: Int,
        patience: Duration = Self.patience,
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
        self.patience = patience
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
        let child = try streams.start(path, arguments, variables, hasTerminal: hasTerminal)
        let deadline = time.now + patience
        var rest = input[...]
        defer { rest = [] }
        while true {
            var ending = child.ending()
            streams.exchange(&rest)
            if streams.output.count > outputLimit {
                if ending == nil { child.end() }
                ending = .wroteTooMuch
            } else if ending == nil, time.now >= deadline {
                child.end()
                ending = .tookTooLong
            }
            if let ending {
                return Result(ending: ending, output: streams.output, errors: streams.errors)
            }
        }
    }

    /// The same on a thread of its own.
    package func runAside(_ arguments: [String]) async throws(VaultProblem) -> Result {
        try await BlockingQueue().run { () throws(VaultProblem) in try run(arguments) }
    }
}
