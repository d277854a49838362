import ArgumentParser
import Profiles

extension ProfilesCommand {
    struct InitCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "init",
            abstract: "Write an example profile to edit, or one of a server that describes itself.",
            usage: "authtop profiles init [<options>] [<name>]"
        )

        @Argument(help: "The name of the profile: lower-case letters, digits and hyphens.")
        var name = "mine"

        @Option(
            help: """
                The issuer's URL: its metadata (RFC 8414, OpenID Connect Discovery) fills the \
                profile.
                """
        )
        var issuer: String?

        @Option(
            help: """
                The URL of an MCP server: what it and its authorization server state about \
                themselves (RFC 9728, RFC 8414) fills the profile.
                """
        )
        var mcp: String?

        @Option(
            name: .customLong("client-id"),
            help: """
                With --issuer or --mcp: the id of the client for a login with a browser, or the URL \
                of its metadata.
                """
        )
        var clientID: String?

        @Option(
            name: .customLong("redirect-port"),
            help: """
                With --issuer or --mcp: the port of a browser's redirect, for a server that allows \
                only one.
                """
        )
        var redirectPort: Int?

        @OptionGroup var trust: TrustOptions

        func validate() throws {
            guard issuer == nil || mcp == nil else {
                throw ValidationError("expected one of --issuer and --mcp")
            }
        }

        func run() async throws {
            if let redirectPort, !(1...65_535).contains(redirectPort) {
                throw CommandFailure(
                    .badInput,
                    "--redirect-port: \(redirectPort) is not a port: expected 1 to 65535"
                )
            }
            let environment = LiveEnvironment()
            let catalogue = environment.catalogue
            // The name must not refer to another folder.
            guard Profile.isName(name) else {
                throw CommandFailure(
                    .badInput,
                    "\"\(name)\" is not a profile name: expected small letters, digits and hyphens"
                )
            }
            let path = "\(try catalogue.folder.get())/\(name).toml"
            let text = try await discovered(in: environment) ?? ProfileExample.text(for: name)
            try PrivateFile(path: path).create(text, makingFolder: true)
            for line in [path, "", "next: edit it, then", "  authtop profiles validate \(name)"] {
                guard StandardOutput.write(line) else { return }
            }
            _ = StandardOutput.write("  authtop watch \(name)")
        }

        /// Returns what a server states as a profile, or `nil` if none is given.
        private func discovered(in environment: LiveEnvironment) async throws -> String? {
            guard let server = try await server(in: environment) else { return nil }
            let client = GivenClient(
                id: clientID,
                redirectPort: redirectPort,
                freePort: environment.freePort()
            )
            return try server.profile(named: name, client: client).text
        }

        private func server(in environment: LiveEnvironment) async throws -> FoundServer? {
            if let mcp {
                return try await FoundServer(mcp: mcp, in: environment, caFile: trust.caFile)
            }
            guard let issuer else { return nil }
            return try await FoundServer(issuer: issuer, in: environment, caFile: trust.caFile)
        }
    }
}
