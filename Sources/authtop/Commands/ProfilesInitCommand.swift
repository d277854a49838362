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
            name: .customLong("client-id"),
            help: "With --issuer: the id of the client for a login with a browser."
        )
        var clientID: String?

        @Option(
            name: .customLong("redirect-port"),
            help: """
                With --issuer: the port of a browser's redirect, for a server that allows only one.
                """
        )
        var redirectPort: Int?

        @Option(
            name: .customLong("client-certificate"),
            help: """
                With --issuer: the PEM file with the client's certificate and key, for a server that \
                has endpoints for it (RFC 8705).
                """,
            completion: .file()
        )
        var clientCertificate: String?

        @OptionGroup var trust: TrustOptions

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
                lines += try sandboxCredentials(of: profile(text))
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

        /// Returns what the issuer states as a profile, or `nil` if none is given.
        private func discovered(in environment: LiveEnvironment) async throws -> String? {
            guard let issuer else { return nil }
            let provider = try await ProviderDiscovery(issuer: issuer)
                .read(in: environment, caFile: trust.caFile).provider
            let text = try provider.metadata.profile(
                named: name,
                from: provider.address,
                clientID: clientID,
                redirectPort: redirectPort,
                certificate: clientCertificate
            )
            try check(text, from: provider.address)
            return text
        }

        private func profile(_ text: String) throws(DialectError) -> Profile {
            try Profile(
                ProfileSource(name: name, text: text, file: "\(name).toml"),
                known: ["oauth2"]
            ) { ProfileSource.builtIn($0) }
        }

        /// Fails if what the metadata states is no valid profile, before a file is written.
        private func check(_ text: String, from address: String) throws {
            do throws(DialectError) {
                _ = try profile(text)
            } catch {
                throw CommandFailure(
                    .badInput,
                    "\(address): what it states is no valid profile: \(error)"
                )
            }
        }
    }
}
