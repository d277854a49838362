import TestSupport

/// `authtop sandbox`, beside the test.
struct Sandbox: Sendable {
    let program: Program
    let port: Int

    func report() async throws -> SandboxReport { try await SandboxReport.read(from: port) }
}

extension Bench {
    /// Starts the sandbox on a free port.
    func sandbox(_ arguments: String...) async throws -> Sandbox {
        try await sandbox(arguments)
    }

    func sandbox(_ arguments: [String]) async throws -> Sandbox {
        let program = try authtop(["sandbox", "--port", "0"] + arguments)
        let line = try await eventually(
            "the sandbox's address",
            evidence: { program.errors.text }
        ) { program.output.lines.first }
        let port = line.split(separator: ":").last.flatMap { Int($0) }
        guard let port else { throw NeverCame(what: "a port", evidence: line) }
        return Sandbox(program: program, port: port)
    }
}
