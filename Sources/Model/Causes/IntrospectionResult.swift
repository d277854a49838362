package import Basics
package import Profiles

/// What a server says of a token when it is asked, beside what is believed of it.
package struct IntrospectionResult: Sendable, Hashable, Codable {
    package var question: TokenQuestion
    /// The token that was asked about, or with.
    package var token: Fingerprint
    package var answer: Answer
    /// Where the answer contradicts what is believed; empty if it agrees, or says too little.
    package var differences: [Difference]

    package enum Answer: Sendable, Hashable, Codable {
        case stated(TokenStatement)
        /// The question itself was refused: the client's credentials, or for the user the access
        /// token, are not accepted.
        case refused(status: Int)
        /// Answered, but without a statement.
        case unusable(status: Int)
        case notSent(UnsentCause)
        case unanswered(detail: String)

        /// The answer as the field `outcome` of an event has it.
        package enum Code: String, Sendable, Hashable, CaseIterable {
            case stated
            case refused
            case unusable
            case notSent
            case unanswered
        }

        package var code: Code {
            switch self {
            case .stated: .stated
            case .refused: .refused
            case .unusable: .unusable
            case .notSent: .notSent
            case .unanswered: .unanswered
            }
        }
    }

    package enum Difference: Sendable, Hashable, Codable {
        /// The server no longer accepts a token that is believed to live.
        case inactive
        /// The server states an end that is this number of seconds later than the believed one;
        /// negative if it is earlier.
        case end(seconds: Double)
        /// The server names another user.
        case subject
    }

    package init(
        question: TokenQuestion,
        token: Fingerprint,
        answer: Answer,
        differences: [Difference] = []
    ) {
        self.question = question
        self.token = token
        self.answer = answer
        self.differences = differences
    }

    /// What the server says, or `nil` if it says nothing.
    package var statement: TokenStatement? {
        if case .stated(let statement) = answer { statement } else { nil }
    }

    /// The seconds by which the stated end is later than the believed one, if it differs.
    package var endDifference: Double? {
        differences.lazy.compactMap { difference in
            if case .end(let seconds) = difference { seconds } else { nil }
        }.first
    }
}
