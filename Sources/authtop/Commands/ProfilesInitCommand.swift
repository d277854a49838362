import ArgumentParser
import Backend
import Basics
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

        @Option(
            name: .customLong("client-certificate"),
            help: """
                With --issuer or --mcp: the PEM file with the client's certificate and key, for a \
                server that has endpoints for it (RFC 8705).
                """,
            completion: .file()
        )
        var clientCertificate: String?

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
            let discovered = try await discovered(in: environment)
            let text = discovered ?? ProfileExample.text(for: name)
            try PrivateFile(path: path).create(text, makingFolder: true)
            var lines = [
                path, "", "next: edit it, then", "  authtop profiles validate \(name)",
                "  authtop watch \(name)",
            ]
            if discovered == nil {
                lines += ["", "as it is, it logs in to `authtop sandbox` with"]
                lines += try sandboxCredentials(
                    of: FoundServer.parsed(text, named: name, from: path)
                )
            }
            for line in lines { guard StandardOutput.write(line) else { return } }
        }

        /// The variables that a profile asks for, with what the sandbox takes, which is no secret.
        private func sandboxCredentials(of profile: Profile) -> [String] {
            profile.dialect.credentials.compactMap { credential in
                Account.sandbox.credentials[credential.name].map { value in
                    "  \(CredentialFinder.variable(credential, of: name))=\(value.reveal())"
                }
            }
        }

        /// Returns what a server states as a profile, or `nil` if none is given.
        private func discovered(in environment: LiveEnvironment) async throws -> String? {
            guard let server = try await server(in: environment) else { return nil }
            let client = GivenClient(
                id: clientID,
                redirectPort: redirectPort,
                freePort: environment.freePort(),
                certificate: clientCertificate
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
