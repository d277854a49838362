/// The outcome of an exchange with the backend.
///
/// The distinction decides whether a one-time token can be sent again.
package enum Outcome<Answer: Sendable>: Sendable {
    /// The whole answer.
    case answered(Answer)
    /// No byte of the request left.
    case notSent(UnsentCause)
    /// The request may have been acted upon; no complete answer came.
    case unanswered(detail: String)

    /// The answer, or `nil` if there is none.
    package var answer: Answer? {
        if case .answered(let answer) = self { answer } else { nil }
    }

    /// Returns the outcome with its answer, if there is one, transformed.
    package func map<Other>(_ transform: (Answer) -> Other) -> Outcome<Other> {
        switch self {
        case .answered(let answer): .answered(transform(answer))
        case .notSent(let cause): .notSent(cause)
        case .unanswered(let detail): .unanswered(detail: detail)
        }
    }
}
