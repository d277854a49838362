import TestSupport

extension Bench {
    /// Runs a command on a profile to its end, with a vault that lasts.
    ///
    /// - Parameters:
    ///   - command: Such as `login`, or `data export`.
    ///   - guide: The guide whose backend is used.
    ///   - port: Where it is.
    ///   - arguments: More of them.
    ///   - credentials: The credentials in the environment.
    /// - Returns: The program, ended.
    /// - Throws: When it cannot be started, or does not end.
    func operation(
        _ command: String,
        _ guide: Guide,
        at port: Int,
        _ arguments: String...,
        credentials: [String: String] = [:]
    ) async throws -> Program {
        let base = "http://127.0.0.1:\(port)/\(guide.rawValue)"
        let program = try authtop(
            command.split(separator: " ").map(String.init)
                + [guide.rawValue, "--base-url", base] + arguments,
            with: credentials
        )
        try await program.ended()
        return program
    }

    /// Logs in, and expects nothing else than that.
    func logIn(_ guide: Guide, at port: Int) async throws -> Program {
        let program = try await operation("login", guide, at: port, credentials: guide.credentials)
        guard program.ending == .exit(0) else {
            throw NeverCame(what: "a login", evidence: program.errors.text)
        }
        return program
    }
}
