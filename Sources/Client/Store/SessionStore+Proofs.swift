import Basics
import Model
package import Profiles

/// The nonces that servers expect in proofs (RFC 9449 section 8), by origin, and separately for
/// requests for tokens and those with one.
package struct ProofNonces: Sendable {
    private struct Place: Sendable, Hashable {
        let origin: String?
        let hasToken: Bool
    }

    private var latest: [Place: String] = [:]

    package init() {}

    package func nonce(for proof: ProofOfPossession, at origin: String?) -> String? {
        latest[Place(origin: origin, hasToken: proof.access != nil)]
    }

    package mutating func update(
        _ response: WireResponse,
        to proof: ProofOfPossession,
        at origin: String?
    ) {
        guard let nonce = ProofOfPossession.nonce(in: response) else { return }
        latest[Place(origin: origin, hasToken: proof.access != nil)] = nonce
    }
}

/// The proofs that a session's tokens are used by the client that they were issued to (RFC 9449).
extension SessionStore {
    /// Sends a request with its proof, and once more if the server expects another nonce, which it
    /// then has said: it has considered nothing else of the request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - key: The key of its tokens, or `nil` if they have none.
    ///   - connection: The connection to use.
    ///   - deadline: When to give up.
    /// - Returns: The report on the last request.
    func send(
        _ request: WireRequest,
        provingWith key: Secret?,
        connection: ConnectionUse,
        deadline: Instant
    ) async -> TransportReport {
        let transport = environment.transport
        guard let proof = request.proof else {
            return await transport.send(request, connection: connection, deadline: deadline)
        }
        func sendOnce() async -> TransportReport {
            var sent = request
            guard
                let header = header(
                    for: proof,
                    method: request.method,
                    origin: request.origin,
                    path: request.path,
                    key: key
                )
            else { return withoutKey() }
            sent.headers.append(header)
            let report = await transport.send(sent, connection: connection, deadline: deadline)
            if case .answered(let response) = report.outcome {
                proofNonces.update(response, to: proof, at: request.origin)
            }
            return report
        }
        let report = await sendOnce()
        guard case .answered(let response) = report.outcome,
            ProofOfPossession.isNonceRefused(by: response),
            ProofOfPossession.nonce(in: response) != nil
        else { return report }
        var second = await sendOnce()
        second.isNonceRetry = true
        return second
    }

    /// Opens the feed with its proof, and once more if the server expects another nonce.
    func dial(
        _ request: FeedRequest,
        provingWith key: Secret?,
        deadline: Instant
    ) async -> FeedDialOutcome {
        guard let proof = request.proof else {
            return await environment.feed.dial(request, deadline: deadline)
        }
        func dialOnce() async -> FeedDialOutcome {
            var sent = request
            guard
                let header = header(
                    for: proof,
                    method: "GET",
                    origin: request.origin,
                    path: String(request.target.part(before: "?")),
                    key: key
                )
            else { return .failed(detail: Self.missingKey) }
            sent.headers.append(header)
            let outcome = await environment.feed.dial(sent, deadline: deadline)
            if case .refused(let response) = outcome {
                proofNonces.update(response, to: proof, at: request.origin)
            }
            return outcome
        }
        let outcome = await dialOnce()
        guard case .refused(let response) = outcome,
            ProofOfPossession.isNonceRefused(by: response),
            ProofOfPossession.nonce(in: response) != nil
        else { return outcome }
        return await dialOnce()
    }

    /// Returns a key for the tokens of a login, or `nil` if they are bound to none.
    func newProofKey() -> Secret? {
        guard dialect.bindsTokens, let key = environment.prover?.newProofKey() else { return nil }
        registerSecrets { $0.register(key, at: $1) }
        return key
    }

    private static let missingKey = "the tokens have no key for DPoP: log in again"

    private func withoutKey() -> TransportReport {
        let moment = environment.time.moment
        return TransportReport(
            outcome: .notSent(.unusableRequest(detail: Self.missingKey)),
            sentAt: moment,
            endedAt: moment,
            timing: RequestTiming()
        )
    }

    /// Returns the header with the proof, or `nil` if the session has no key for one.
    func header(
        for proof: ProofOfPossession,
        method: String,
        origin: String?,
        path: String,
        key: Secret?
    ) -> WireHeader? {
        guard let prover = environment.prover, let key,
            let token = prover.sign(
                proof,
                method: method,
                url: (origin ?? machine.configuration.capabilities.baseURL) + path,
                key: key,
                nonce: proofNonces.nonce(for: proof, at: origin),
                now: serverTime
            )
        else { return nil }
        registerSecrets { $0.register(token, at: $1) }
        return WireHeader(ProofOfPossession.header, token.reveal())
    }
}
