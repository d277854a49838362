package import Basics
package import Model
package import Profiles

/// Why a request of another program cannot be sent with the session.
package enum SessionFieldsProblem: Error, Sendable {
    case noToken(WaitFailure)
    /// A value that it needs is not there.
    case unusable(RequestProblem)
    /// The tokens have no key for proofs (RFC 9449).
    case noProofKey
}

/// The requests of other programs that are sent with the session's token.
extension SessionStore {
    /// Returns what a request is sent with, after waiting for a refresh if necessary.
    ///
    /// - Parameters:
    ///   - request: The request, with its path below the base URL, and an origin if that is another one.
    ///   - refused: The token with which it was refused, if it was.
    ///   - deadline: Until when the caller waits.
    /// - Returns: The fields, with a proof made for this request.
    /// - Throws: `SessionFieldsProblem` if it cannot be sent.
    package func sessionFields(
        for request: WireRequest,
        inPlaceOf refused: AccessToken?,
        by deadline: Instant
    ) async throws(SessionFieldsProblem) -> SessionFields {
        let token: AccessToken
        do throws(WaitFailure) {
            token = try await freshToken(by: deadline, inPlaceOf: refused).token
        } catch {
            throw .noToken(error)
        }
        return try sessionFields(token, for: request, isRetry: refused != nil)
    }

    /// Returns what a request is sent with again whose proof was refused for its nonce alone.
    package func sessionFields(
        _ token: AccessToken,
        for request: WireRequest,
        isRetry: Bool = false
    ) throws(SessionFieldsProblem) -> SessionFields {
        registerSecrets { $0.register(token.secret, at: $1) }
        var fields = dialect.sessionFields(
            token,
            path: request.path,
            captured: captured,
            isRetry: isRetry
        )
        if let problem = fields.problem { throw .unusable(problem) }
        guard let proof = fields.proof else { return fields }
        guard
            let header = header(
                for: proof,
                method: request.method,
                origin: request.origin,
                path: request.path,
                key: captured.proofKey
            )
        else { throw .noProofKey }
        fields.replacing.append(header)
        return fields
    }

    /// Remembers the nonce that a server expects in the next proof, if its answer has one.
    package func recordNonce(
        in response: WireResponse,
        to fields: SessionFields,
        at origin: String?
    ) {
        guard let proof = fields.proof else { return }
        proofNonces.update(response, to: proof, at: origin)
    }
}
