import TestSupport

/// `authtop watch PROFILE --json`, beside the test.
struct Watch: Sendable {
    let program: Program
    let stream: EventStream
}

extension Bench {
    /// Starts to watch a sandbox, or a relay to one, with a session of its own unless a vault is
    /// named.
    ///
    /// - Parameters:
    ///   - guide: The guide whose backend is used.
    ///   - port: Where it is.
    ///   - duration: For `--for`.
    ///   - arguments: More of them.
    ///   - credentials: In place of the right ones.
    /// - Returns: The program, with its story.
    /// - Throws: When it cannot be started.
    func watch(
        _ guide: Guide,
        at port: Int,
        for duration: String = "120s",
        _ arguments: String...,
        credentials: [String: String]? = nil
    ) throws -> Watch {
        let program = try authtop(
            [
                "watch", guide.rawValue, "--base-url", "http://127.0.0.1:\(port)/\(guide.rawValue)",
                "--json", "--for", duration,
            ] + Self.vault(arguments) + arguments,
            with: credentials ?? guide.credentials
        )
        return Watch(program: program, stream: EventStream(program.output))
    }

    /// Parts that a test is not about stay out of it.
    static func vault(_ arguments: [String]) -> [String] {
        arguments.contains("--vault") ? [] : ["--vault", "memory"]
    }
}
