import Basics
import Client
import FoundationEssentials
import Model
import Platform
import Profiles
import Synchronization

/// The proofs of the requests of a check (RFC 9449): all of its sessions have one key.
final class CheckProofs: Sendable {
    let key: Secret
    private let prover: ClientProver
    private let baseURL: String
    private let time: any Timekeeper
    private let nonces = Mutex(ProofNonces())

    init(prover: ClientProver, baseURL: String, time: any Timekeeper) {
        key = prover.newProofKey()
        self.prover = prover
        self.baseURL = baseURL
        self.time = time
    }

    /// Sends a request with its proof, and once more if the server expects another nonce.
    ///
    /// - Parameters:
    ///   - request: The request, which is sent as it is if it needs no proof.
    ///   - usesNonce: Whether the proof has the server's nonce.
    ///   - send: Sends it.
    /// - Returns: The report on the last request. A refusal of a second request for tokens is none of
    ///   its token: the challenge before may have spent it.
    func send(
        _ request: WireRequest,
        usesNonce: Bool,
        by send: (WireRequest) async -> TransportReport
    ) async -> TransportReport {
        guard let proof = request.proof else { return await send(request) }
        func sendOnce() async -> TransportReport {
            var sent = request
            sent.headers += header(
                proof,
                method: request.method,
                origin: request.origin,
                path: request.path,
                usesNonce: usesNonce
            )
            let report = await send(sent)
            if case .answered(let response) = report.outcome {
                nonces.withLock { $0.update(response, to: proof, at: request.origin) }
            }
            return report
        }
        let report = await sendOnce()
        guard usesNonce, case .answered(let response) = report.outcome,
            ProofOfPossession.isNonceRefused(by: response),
            ProofOfPossession.nonce(in: response) != nil
        else { return report }
        var second = await sendOnce()
        if proof.access == nil, case .answered(let response) = second.outcome,
            (400..<500).contains(response.status)
        {
            second.outcome = .unanswered(detail: "refused after a challenge for another nonce")
        }
        return second
    }

    /// Opens the feed with its proof, and once more if the server expects another nonce.
    func dial(
        _ request: FeedRequest,
        by dial: (FeedRequest) async -> FeedDialOutcome
    ) async -> FeedDialOutcome {
        guard let proof = request.proof else { return await dial(request) }
        func dialOnce() async -> FeedDialOutcome {
            var sent = request
            sent.headers += header(
                proof,
                method: "GET",
                origin: request.origin,
                path: String(request.target.part(before: "?")),
                usesNonce: true
            )
            let outcome = await dial(sent)
            if case .refused(let response) = outcome {
                nonces.withLock { $0.update(response, to: proof, at: request.origin) }
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

    private func header(
        _ proof: ProofOfPossession,
        method: String,
        origin: String?,
        path: String,
        usesNonce: Bool
    ) -> [WireHeader] {
        let nonce = nonces.withLock { $0.nonce(for: proof, at: origin) }
        let signed = prover.sign(
            proof,
            method: method,
            url: (origin ?? baseURL) + path,
            key: key,
            nonce: usesNonce ? nonce : nil,
            now: time.wall.timeIntervalSince1970
        )
        return signed.map { [WireHeader(ProofOfPossession.header, $0.reveal())] } ?? []
    }
}
