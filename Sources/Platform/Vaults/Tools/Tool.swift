import Basics
import Client
import Model

/// A program that stores secrets.
///
/// It has no terminal to prompt on, because its prompt would not be visible on a full screen.
struct Tool: Sendable {
    struct Answer {
        var status: Int32
        var output: [UInt8]
        /// The program's error message, on one line.
        var message: String
    }

    private static let outputLimit = 256 * 1024

    let name: String
    private let program: ChildProgram
    private let timeout: Duration

    /// Finds a tool; `nil` if it is not installed.
    init?(
        _ name: String,
        variables: [String: String],
        timeout: Duration = ChildProgram.timeout,
        time: any Timekeeper
    ) {
        let program = ChildProgram(
            name,
            variables: variables.filter { $0.key != "GPG_TTY" },
            hasTerminal: false,
            outputLimit: Self.outputLimit,
            timeout: timeout,
            time: time
        )
        guard let program else { return nil }
        self.name = name
        self.program = program
        self.timeout = timeout
    }

    /// Runs the tool on the calling thread, which must not be one of the cooperative pool.
    ///
    /// - Parameters:
    ///   - arguments: The arguments, which must contain no secrets.
    ///   - input: Its standard input.
    /// - Returns: The end of the tool, and its output.
    /// - Throws: If it cannot be started, takes too long or writes too much.
    func run(_ arguments: [String], input: [UInt8] = []) throws(VaultProblem) -> Answer {
        let result = try program.run(arguments, input: input)
        switch result.ending {
        case .exited(let code): return answer(code, result)
        case .signaled(let signal): return answer(128 + signal, result)
        case .wroteTooMuch:
            throw VaultProblem(message: "\(name): wrote more than a record can contain")
        case .tookTooLong:
            throw VaultProblem(
                .locked,
                message:
                    "\(name): no answer in \(timeout.components.seconds) s; is it waiting for something to be unlocked?"
            )
        }
    }

    private func answer(_ status: Int32, _ result: ChildProgram.Result) -> Answer {
        Answer(
            status: status,
            output: result.output,
            message: Self.line(result.errors + (status == 0 ? [] : result.output))
        )
    }

    private static func line(_ bytes: [UInt8]) -> String {
        let message = String(decoding: bytes.prefix(2_000), as: UTF8.self)
            .split { $0.isWhitespace }.joined(separator: " ")
        return String(
            message.unicodeScalars.filter { $0.value >= 32 && $0.value != 127 }.prefix(200)
        )
    }
}

extension String {
    fileprivate init(_ scalars: some Sequence<Unicode.Scalar>) {
        self.init(UnicodeScalarView(scalars))
    }
}
