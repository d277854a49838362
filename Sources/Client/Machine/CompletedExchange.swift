package import Basics
package import FoundationEssentials
package import Model
import Profiles

/// An exchange with the backend that has ended.
package struct CompletedExchange<Answer: Sendable>: Sendable {
    package var outcome: Outcome<Answer>
    var sentAt: Moment
    var endedAt: Moment
    /// The `Date` header of the answer.
    var serverDate: Date?
    /// The exchange as its event has it, but for what its session knows: its number, purpose, cause
    /// and token, which `ClientMachine.logExchange` adds.
    var entry: Exchange
    /// The statement of the answer to a protected request about the captured values.
    var captured = CaptureChange.none
    /// What the answer says of a client that the server does not know, or `nil`.
    var clientRefusal: ClientRefusal?

    var status: Int? { entry.status }

    /// Returns the exchange with its answer, if there is one, transformed.
    func map<Other>(_ transform: (Answer) -> Other) -> CompletedExchange<Other> {
        CompletedExchange<Other>(
            outcome: outcome.map(transform),
            sentAt: sentAt,
            endedAt: endedAt,
            serverDate: serverDate,
            entry: entry,
            captured: captured,
            clientRefusal: clientRefusal
        )
    }
}

extension CompletedExchange {
    /// - Parameters:
    ///   - outcome: The outcome.
    ///   - sentAt: When the request was handed to the network.
    ///   - endedAt: When the response was complete, or the attempt was given up.
    ///   - serverDate: The `Date` header of the answer.
    ///   - method: The HTTP method.
    ///   - target: Path and query, without tokens.
    ///   - status: The HTTP status of the answer, or `nil` if there is none.
    package init(
        outcome: Outcome<Answer>,
        sentAt: Moment,
        endedAt: Moment,
        serverDate: Date?,
        method: String,
        target: String,
        status: Int?
    ) {
        let result: Exchange.Result =
            switch outcome {
            case .answered: .answered(status: status ?? 0)
            case .notSent(let cause): .notSent(cause)
            case .unanswered(let detail): .unanswered(detail: detail)
            }
        self.init(
            outcome: outcome,
            sentAt: sentAt,
            endedAt: endedAt,
            serverDate: serverDate,
            entry: Exchange(
                id: 0,
                purpose: .other,
                method: method,
                target: target,
                result: result,
                seconds: endedAt.now.seconds(since: sentAt.now),
                generation: 0,
                why: .user
            )
        )
    }
}
