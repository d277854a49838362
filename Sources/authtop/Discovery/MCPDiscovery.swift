import Basics
import Platform
import Profiles
import UI

/// Finds out where a user logs in to an MCP server, by what it answers without a token (RFC 9728).
struct MCPDiscovery {
    /// The name of the option, with which errors begin.
    static let option = "--mcp"

    let url: String

    /// The server, and what the authorization server states about itself.
    struct Answer: Sendable {
        let server: MCPServer
        let provider: ProviderDescription
    }

    /// - Throws: `CommandFailure` if the server needs no login, or if it or its authorization server
    ///   does not describe itself, or as another one.
    func read(in environment: LiveEnvironment, caFile: String?) async throws -> Answer {
        let question = RemoteDocument(url: url, name: Self.option, request: MCPServer.question)
        let answer = try await question.fetch(in: environment, caFile: caFile)
        guard !(200..<300).contains(answer.status) else {
            throw CommandFailure(
                .badInput,
                "\(Self.option): \(url) answered \(answer.status) without a token: it needs no login"
            )
        }
        let (address, resource) = try await readResource(after: answer, in: environment, caFile)
        let server = MCPServer(
            url: url,
            resource: resource,
            at: address,
            scope: MCPServer.scope(in: answer)
        )
        let issuer = resource.servers[0]
        let discovery = ProviderDiscovery(
            issuer: issuer,
            isExact: true,
            isForMCP: true,
            name: "\(address.visibleInOneLine): authorization_servers",
            security: security(at: issuer)
        )
        let provider = try await discovery.read(in: environment, caFile: caFile).provider
        return Answer(server: server, provider: provider)
    }

    /// Returns what is required at an address that the server names: it is on this machine only if the
    /// server is, whose own origin the user has named.
    private func security(at address: String) -> TransportSecurity {
        let server = (try? WebAddress(parsing: url))?.origin
        let named = (try? WebAddress(parsing: address))?.origin
        return server?.isNear == true || server == named
            ? .standard : TransportSecurity.standard.farOnly
    }

    /// Reads the document on the resource, where the challenge says or else at its usual places.
    private func readResource(
        after answer: WireResponse,
        in environment: LiveEnvironment,
        _ caFile: String?
    ) async throws -> (address: String, ProtectedResource) {
        let named = MCPServer.metadataAddress(in: answer)
        var statuses = named == nil ? ["\(url) answered \(answer.status) without its address"] : []
        for place in ProtectedResource.places(of: url, namedBy: named) {
            let document = RemoteDocument(
                url: place.address,
                name: named == nil ? Self.option : "\(Self.option): resource_metadata",
                security: security(at: place.address)
            )
            let found = try await document.fetch(in: environment, caFile: caFile)
            guard found.status == 200 else {
                statuses.append("\(place.address) answered \(found.status)")
                continue
            }
            guard named != nil || found.hasObject else {
                statuses.append("\(place.address) answered with no JSON object")
                continue
            }
            do throws(ProviderMetadataError) {
                return (
                    place.address, try ProtectedResource(parsing: found.body, of: place.resource)
                )
            } catch {
                let text = ProviderDiscovery.text(error, of: place.resource)
                throw CommandFailure(.badInput, "\(place.address.visibleInOneLine): \(text)")
            }
        }
        throw CommandFailure(
            .badInput,
            "no metadata of a protected resource (RFC 9728): "
                + statuses.joined(separator: "; ").visibleInOneLine
        )
    }
}
