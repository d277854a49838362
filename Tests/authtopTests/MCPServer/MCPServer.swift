import Foundation
import TestSupport

/// FastMCP's server with its own authorization server, beside the test: an independent
/// implementation.
struct MCPServer: Sendable {
    let port: Int

    /// The Python with `fastmcp`, such as that of a virtual environment.
    static let python =
        ProcessInfo.processInfo.environment["AUTHTOP_MCP_PYTHON"] ?? Program.python

    static func isInstalled() async -> Bool {
        (try? await Program.run(python, ["-c", "import fastmcp"])) != nil
    }

    fileprivate static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    var url: String { "http://127.0.0.1:\(port)/mcp" }
}

extension Bench {
    /// Starts it.
    ///
    /// - Parameters:
    ///   - lifetime: Seconds an access token lives.
    ///   - rotation: Whether a refresh has the server `replace` or `keep` the refresh token, or `narrow` the
    ///     scope.
    /// - Returns: Where it is.
    /// - Throws: When it does not start.
    func mcpServer(lifetime: Int, rotation: String = "replace") async throws -> MCPServer {
        let script = MCPServer.folder.appending(path: "server.py").path(percentEncoded: false)
        let program = keep(
            try Program(
                MCPServer.python,
                ["-B", script, "\(lifetime)", rotation],
                environment: environment
            )
        )
        let line = try await eventually("its port", evidence: { program.errors.text }) {
            program.output.lines.first
        }
        guard let port = Int(line) else { throw NeverCame(what: "a port", evidence: line) }
        return MCPServer(port: port)
    }
}
