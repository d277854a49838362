import Glibc
import Lifecycle
import Timekeeping

/// A program that keeps secrets: they go in and out by its standard streams, never by arguments,
/// which anybody may read.
struct Tool: Sendable {
    struct Answer {
        var status: Int32
        var output: [UInt8]
        /// What it says about it, on one line.
        var words: String
    }

    private static let patience = Duration.seconds(10)
    private static let outputLimit = 256 * 1024

    let name: String
    private let path: String
    private let variables: [String: String]
    private let time: any Timekeeper

    /// Nil when it is not installed.
    init?(_ name: String, variables: [String: String], time: any Timekeeper) {
        let folders = (variables["PATH"] ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
        let paths = folders.map { (folder: Substring) -> String in "\(folder)/\(name)" }
        guard let path = paths.first(where: { access($0, X_OK) == 0 }) else { return nil }
        self.name = name
        self.path = path
        // A question on the terminal would be lost on the screen.
        self.variables = variables.filter { $0.key != "GPG_TTY" }
        self.time = time
    }

    /// Runs it once, on this thread, which must not be one of the cooperative pool.
    ///
    /// - Parameters:
    ///   - arguments: Nothing secret.
    ///   - input: All that it gets to read.
    /// - Returns: How it ended and what it wrote.
    /// - Throws: When it cannot be started, takes too long or writes too much.
    func run(_ arguments: [String], input: [UInt8] = []) throws(VaultProblem) -> Answer {
        var streams = try ToolStreams(tool: name)
        let child = try streams.start(path, arguments, variables)
        let deadline = time.now + Self.patience
        var rest = input[...]
        defer { rest = [] }
        while true {
            let ending = child.ending()
            streams.exchange(&rest)
            guard streams.size <= Self.outputLimit else {
                child.end()
                throw VaultProblem(words: "\(name): wrote more than a record has")
            }
            if let ending {
                return Answer(
                    status: ending,
                    output: streams.output,
                    words: Self.line(streams.errors + (ending == 0 ? [] : streams.output))
                )
            }
            guard time.now < deadline else {
                child.end()
                throw VaultProblem(
                    words: "\(name): no answer in 10 s; does it wait for something to be unlocked?",
                    isLocked: true
                )
            }
        }
    }

    private static func line(_ bytes: [UInt8]) -> String {
        let words = String(decoding: bytes.prefix(2_000), as: UTF8.self)
            .split { $0.isWhitespace }.joined(separator: " ")
        return String(words.unicodeScalars.filter { $0.value >= 32 && $0.value != 127 }.prefix(200))
    }
}

extension String {
    fileprivate init(_ scalars: some Sequence<Unicode.Scalar>) {
        self.init(UnicodeScalarView(scalars))
    }
}
