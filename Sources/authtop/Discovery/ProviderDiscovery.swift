import Basics
import Platform
import Profiles
import UI

/// Reads what an authorization server states about itself.
struct ProviderDiscovery {
    /// The provider's statements, with the document itself.
    struct Answer: Sendable {
        let provider: ProviderDescription
        let document: [UInt8]
    }

    let issuer: String
    /// Whether the final slash of the issuer counts.
    var isExact = false
    /// Whether the tokens are for an MCP server.
    var isForMCP = false
    /// The prefix of errors about the URL.
    var name = "--issuer"
    var security = TransportSecurity.standard

    /// - Throws: `CommandFailure` if no document describes the server.
    func read(in environment: LiveEnvironment, caFile: String?) async throws -> Answer {
        var answers: [(text: String, status: Int)] = []
        for address in ProviderMetadata.addresses(of: issuer, isForMCP: isForMCP) {
            let document = RemoteDocument(url: address, name: name, security: security)
            let answer = try await document.fetch(in: environment, caFile: caFile)
            guard answer.status == 200 else {
                answers.append(("\(address) answered \(answer.status)", answer.status))
                continue
            }
            // A site answers any path with a page of its own.
            guard answer.hasObject else {
                answers.append(("\(address) answered with no JSON object", 404))
                continue
            }
            let provider = try provider(in: answer.body, at: address)
            let first = Answer(provider: provider, document: answer.body)
            return await completed(first, in: environment, caFile: caFile)
        }
        // A server that has no such document will not have one later.
        let isMissing = answers.allSatisfy { $0.status == 404 || $0.status == 410 }
        throw CommandFailure(
            isMissing ? .badInput : .unreachable,
            answers.map(\.text).joined(separator: "; ")
        )
    }

    /// Returns what a document states, with what only another one of the issuer does; one that cannot be
    /// used adds nothing.
    private func completed(
        _ first: Answer,
        in environment: LiveEnvironment,
        caFile: String?
    ) async -> Answer {
        let addresses = ProviderMetadata.addresses(of: issuer, isForMCP: isForMCP)
        guard !first.provider.metadata.namesEndpoints(isForMCP: isForMCP) else { return first }
        for address in addresses where address != first.provider.address {
            let document = RemoteDocument(url: address, name: name, security: security)
            guard let answer = try? await document.fetch(in: environment, caFile: caFile),
                answer.status == 200,
                let whole = ProviderMetadata.completing(first.document, by: answer.body),
                let provider = try? provider(in: whole, at: first.provider.address, and: address)
            else { continue }
            return Answer(provider: provider, document: whole)
        }
        return first
    }

    /// Parses a document.
    ///
    /// - Throws: `CommandFailure` if it does not describe the server, or if an endpoint would
    ///   receive tokens in clear text, or is on this machine although the server is not.
    func provider(
        in document: [UInt8],
        at address: String,
        and addition: String? = nil
    ) throws -> ProviderDescription {
        do throws(ProviderMetadataError) {
            let metadata = try ProviderMetadata(parsing: document, of: issuer, isExact: isExact)
            let reachesNear = (try? WebAddress(parsing: issuer))?.origin.isNear ?? false
            for (endpoint, url) in try metadata.origins() {
                guard let origin = try? BackendOrigin(parsing: url) else {
                    throw .notAURL(endpoint)
                }
                guard reachesNear || !origin.isNear else { throw .nearEndpoint(endpoint) }
            }
            return ProviderDescription(metadata, at: address, and: addition)
        } catch {
            throw CommandFailure(.badInput, "\(address): \(Self.text(error, of: issuer))")
        }
    }

    /// Returns a message about a document, which was expected to be of this issuer or resource.
    static func text(_ error: ProviderMetadataError, of expected: String) -> String {
        switch error {
        case .tooLarge: "is larger than \(ProviderMetadata.sizeLimit / 1024) KiB"
        case .notAnObject: "expected a JSON object"
        case .missing(let key): "\(key) is missing"
        case .otherIssuer(let stated):
            "is of the issuer \(stated.visibleInOneLine), expected \(expected)"
        case .otherResource(let stated):
            "is of the resource \(stated.visibleInOneLine), expected \(expected)"
        case .withoutPKCE:
            "has no login with a browser and PKCE: expected an authorization_endpoint, and S256 in "
                + "code_challenge_methods_supported"
        case .withoutClientDocuments:
            "client_id_metadata_document_supported is not true, so that no URL can be a client's id"
        case .notAURL(let key): "\(key) is not a URL with https, or of this machine"
        case .nearEndpoint(let key):
            "\(key) is on this machine or its link, and \(expected) is not (RFC 9728 section 7.7)"
        }
    }
}
