package import Basics
package import FoundationEssentials
package import Model
package import Profiles

/// An exchange with the backend that has ended.
package struct CompletedExchange<Answer: Sendable>: Sendable {
    package var outcome: Outcome<Answer>
    var sentAt: Moment
    var endedAt: Moment
    /// The `Date` header of the answer.
    var serverDate: Date?
    var wire: WireFacts
    /// The statement of the answer to a protected request about the captured values.
    var captured = CaptureChange.none

    package init(
        outcome: Outcome<Answer>,
        sentAt: Moment,
        endedAt: Moment,
        serverDate: Date?,
        wire: WireFacts
    ) {
        self.outcome = outcome
        self.sentAt = sentAt
        self.endedAt = endedAt
        self.serverDate = serverDate
        self.wire = wire
    }

    /// Returns the exchange with its answer, if there is one, transformed.
    func map<Other>(_ transform: (Answer) -> Other) -> CompletedExchange<Other> {
        var other = CompletedExchange<Other>(
            outcome: outcome.map(transform),
            sentAt: sentAt,
            endedAt: endedAt,
            serverDate: serverDate,
            wire: wire
        )
        other.captured = captured
        return other
    }
}

/// The facts of an exchange in the request log, apart from its meaning.
package struct WireFacts: Sendable, Hashable {
    var method: String
    /// With tokens replaced by their fingerprints.
    var target: String
    var status: Int?
    var timing: RequestTiming?
    /// Whether the response states that the sandbox sent it, which any server can.
    var claimsSandbox: Bool
    /// The appearance of the response, and the rule that decided its meaning.
    var evidence: ResponseEvidence?
    /// What the server says in an answer that does not bring what was asked for.
    var serverWords: String?
    /// Whether the request was sent twice, because the answer to the first required another nonce in
    /// its proof (RFC 9449 section 8).
    var isNonceRetry: Bool

    package init(
        method: String,
        target: String,
        status: Int?,
        timing: RequestTiming?,
        claimsSandbox: Bool = false,
        evidence: ResponseEvidence? = nil,
        serverWords: String? = nil,
        isNonceRetry: Bool = false
    ) {
        self.method = method
        self.target = target
        self.status = status
        self.timing = timing
        self.claimsSandbox = claimsSandbox
        self.evidence = evidence
        self.serverWords = serverWords
        self.isNonceRetry = isNonceRetry
    }
}
