import ArgumentParser
import Profiles

/// A server to be checked without a profile.
struct CheckedServer: ParsableArguments {
    /// The name of its profile in reports.
    private static let name = "mcp"

    @Option(
        help: "Check the authorization server of the MCP server at this URL, without a profile."
    )
    var mcp: String?

    @Option(
        name: .customLong("client-id"),
        help: """
            With --mcp: the id of the client, or the URL of its metadata; without it, the client is \
            registered.
            """
    )
    var clientID: String?

    @Option(
        name: .customLong("redirect-port"),
        help: "With --mcp: the port of a browser's redirect, for a server that allows only one."
    )
    var redirectPort: Int?

    func validate() throws {
        guard mcp != nil || clientID == nil && redirectPort == nil else {
            throw ValidationError("--client-id and --redirect-port need --mcp")
        }
        guard (1...65_535).contains(redirectPort ?? 1) else {
            throw ValidationError("--redirect-port: expected 1 to 65535")
        }
    }

    /// Returns the profile of the server.
    ///
    /// - Throws: `CommandFailure` if the server does not describe itself.
    func profile(in environment: LiveEnvironment, caFile: String?) async throws -> Profile {
        let server = try await FoundServer(mcp: mcp ?? "", in: environment, caFile: caFile)
        let client = GivenClient(
            id: clientID,
            redirectPort: redirectPort,
            freePort: environment.freePort()
        )
        return try server.profile(named: Self.name, client: client).profile
    }
}
