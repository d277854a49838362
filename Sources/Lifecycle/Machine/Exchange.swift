package import Dialects
package import FoundationEssentials
package import Timekeeping
package import Tokens

/// How an exchange with the backend ended.
///
/// The distinction decides whether a one-time token can be sent again.
package enum Outcome<Answer: Sendable>: Sendable {
    /// The whole answer.
    case answered(Answer)
    /// No byte of the request left.
    case notSent(UnsentCause)
    /// The request may have been acted upon; no complete answer came.
    case unanswered(detail: String)

    /// Returns the outcome with its answer, if there is one, transformed.
    package func map<Other>(_ transform: (Answer) -> Other) -> Outcome<Other> {
        switch self {
        case .answered(let answer): .answered(transform(answer))
        case .notSent(let cause): .notSent(cause)
        case .unanswered(let detail): .unanswered(detail: detail)
        }
    }
}

/// An exchange with the backend that has ended.
package struct Exchange<Answer: Sendable>: Sendable {
    package var outcome: Outcome<Answer>
    package var sentAt: Moment
    package var endedAt: Moment
    /// The `Date` header of the answer.
    package var serverDate: Date?
    package var wire: WireFacts
    /// What the answer to a protected request says of the captured values.
    package var captured = CaptureChange.none

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
    package func map<Other>(_ transform: (Answer) -> Other) -> Exchange<Other> {
        var other = Exchange<Other>(
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

/// What the request log records of an exchange, apart from its meaning.
package struct WireFacts: Sendable, Hashable {
    package var method: String
    /// With tokens replaced by their fingerprints.
    package var target: String
    package var status: Int?
    package var timing: RequestTiming?
    /// Whether the response states that the sandbox sent it, which any server can.
    package var claimsSandbox: Bool
    /// What the response looked like, and what decided its meaning.
    package var evidence: ResponseEvidence?
    /// Whether the request was sent twice, because the answer to the first required another nonce in
    /// its proof (RFC 9449 section 8).
    package var isNonceRetry: Bool

    package init(
        method: String,
        target: String,
        status: Int?,
        timing: RequestTiming?,
        claimsSandbox: Bool = false,
        evidence: ResponseEvidence? = nil,
        isNonceRetry: Bool = false
    ) {
        self.method = method
        self.target = target
        self.status = status
        self.timing = timing
        self.claimsSandbox = claimsSandbox
        self.evidence = evidence
        self.isNonceRetry = isNonceRetry
    }
}
