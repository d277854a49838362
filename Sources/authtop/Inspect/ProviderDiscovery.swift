import Dashboard
import Dialects

/// Reads what an authorization server states about itself.
struct ProviderDiscovery {
    let issuer: String

    /// Returns a profile with what the server states.
    ///
    /// - Throws: `CommandFailure` if no document describes the server.
    func profile(
        named name: String,
        clientID: String?,
        in environment: LiveEnvironment,
        caFile: String?
    ) async throws -> String {
        var answers: [String] = []
        for address in ProviderMetadata.addresses(of: issuer) {
            let document = RemoteDocument(url: address, name: "--issuer")
            let answer = try await document.fetch(in: environment, caFile: caFile)
            guard answer.status == 200 else {
                answers.append("\(address) answered \(answer.status)")
                continue
            }
            do {
                return try ProviderMetadata(parsing: answer.body, of: issuer)
                    .profile(named: name, from: address, clientID: clientID)
            } catch {
                throw CommandFailure(.badInput, "\(address): \(Self.text(error, issuer))")
            }
        }
        throw CommandFailure(.unreachable, answers.joined(separator: "; "))
    }

    private static func text(_ error: ProviderMetadataError, _ issuer: String) -> String {
        switch error {
        case .notAnObject: "expected a JSON object (RFC 8414)"
        case .missing(let key): "\(key) is missing"
        case .otherIssuer(let stated):
            "is of the issuer \(stated.visibleInOneLine), expected \(issuer)"
        case .notAURL(let key): "\(key) is not a URL"
        }
    }
}
