import Basics
import Client
import FoundationEssentials
import Model
import Observer
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
    /// Whether a refresh has worked after a challenge for a nonce, so that challenges spend no token.
    private let leavesTokens = Mutex(false)

    /// How often a request is repeated at most for another nonce, which the answers to others change.
    private static let mostRepetitions = 16

    init(prover: ClientProver, baseURL: String, time: any Timekeeper) {
        key = prover.newProofKey()
        self.prover = prover
        self.baseURL = baseURL
        self.time = time
    }

    /// Sends a request with its proof, and again if the server expects another nonce: once, or more often
    /// where that spends no token.
    ///
    /// - Parameters:
    ///   - checked: The request, which is sent as it is if it needs no proof.
    ///   - isRefresh: Whether it has a refresh token.
    ///   - send: Sends it.
    /// - Returns: The report on the last request. The refusal of a repeated request for tokens is none of
    ///   its token, unless a refresh has shown that challenges spend none.
    func send(
        _ checked: CheckRequest,
        isRefresh: Bool,
        by send: (WireRequest) async -> TransportReport
    ) async -> TransportReport {
        let request = checked.request
        let usesNonce = checked.usesNonce
        if checked.isLeftByChallenges { leavesTokens.withLock { $0 = true } }
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
        var report = await sendOnce()
        guard usesNonce, Self.isChallenge(report) else { return report }
        var repetitions = 0
        repeat {
            report = await sendOnce()
            repetitions += 1
        } while repetitions < Self.mostRepetitions && Self.isChallenge(report)
            && (proof.access != nil || leavesTokens.withLock { $0 })
        guard proof.access == nil, case .answered(let response) = report.outcome else {
            return report
        }
        if isRefresh, (200..<300).contains(response.status) { leavesTokens.withLock { $0 = true } }
        let isRefusal = !Self.isChallenge(report) && leavesTokens.withLock { $0 }
        if (400..<500).contains(response.status), !isRefusal {
            report.outcome = .unanswered(detail: "refused after a challenge for another nonce")
        }
        return report
    }

    /// Whether an answer asks for another nonce, and has one.
    private static func isChallenge(_ report: TransportReport) -> Bool {
        guard case .answered(let response) = report.outcome else { return false }
        return ProofOfPossession.isNonceRefused(by: response)
            && ProofOfPossession.nonce(in: response) != nil
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
