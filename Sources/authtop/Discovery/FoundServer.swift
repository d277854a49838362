import Basics
import Profiles

/// A server that describes itself, as a profile.
struct FoundServer {
    private let provider: ProviderDescription
    /// The MCP server for which the tokens are, or `nil` for another resource.
    private let server: MCPServer?

    /// Reads what an issuer states about itself.
    init(issuer: String, in environment: LiveEnvironment, caFile: String?) async throws {
        provider = try await ProviderDiscovery(issuer: issuer)
            .read(in: environment, caFile: caFile).provider
        server = nil
    }

    /// Reads what an MCP server and its authorization server state about themselves.
    init(mcp url: String, in environment: LiveEnvironment, caFile: String?) async throws {
        let answer = try await MCPDiscovery(url: url).read(in: environment, caFile: caFile)
        provider = answer.provider
        server = answer.server
    }

    /// Returns the profile, with its text.
    ///
    /// - Throws: `CommandFailure` if it would not be valid, or not do what the server needs.
    func profile(
        named name: String,
        client: GivenClient
    ) throws -> (text: String, profile: Profile) {
        let address = provider.address
        let text: String
        do throws(ProviderMetadataError) {
            text = try provider.metadata.profile(
                named: name,
                from: address,
                and: provider.addition,
                client: client,
                for: server
            )
        } catch {
            let text = ProviderDiscovery.text(error, of: address)
            throw CommandFailure(.badInput, "\(address): \(text)")
        }
        return (text, try Self.parsed(text, named: name, from: address))
    }

    /// Returns a profile that has no file yet.
    ///
    /// - Throws: `CommandFailure`, which names where it comes from.
    static func parsed(
        _ text: String,
        named name: String,
        from address: String
    ) throws -> Profile {
        do throws(DialectError) {
            return try Profile(
                ProfileSource(name: name, text: text, file: "\(name).toml"),
                known: ["oauth2"]
            ) { ProfileSource.builtIn($0) }
        } catch {
            throw CommandFailure(
                .badInput,
                "\(address): what it states is no valid profile: \(error)"
            )
        }
    }
}

extension LiveEnvironment {
    /// Returns a port for redirects, below those that Linux gives to outgoing connections.
    func freePort() -> Int {
        20_000 + randomBytes(2).reduce(0) { $0 << 8 | Int($1) } % 12_000
    }
}
