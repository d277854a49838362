package import Basics
package import Profiles

/// A server's statement about a token in answer to an introspection, beside the client's own state.
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
        enum Code: String, Sendable, Hashable, CaseIterable {
            case stated
            case refused
            case unusable
            case notSent
            case unanswered
        }

        var code: Code {
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

    /// The server's statement, or `nil` if there is none.
    package var statement: TokenStatement? {
        if case .stated(let statement) = answer { statement } else { nil }
    }

    /// The seconds by which the stated end is later than the believed one, if it differs.
    var endDifference: Double? {
        differences.lazy.compactMap { difference in
            if case .end(let seconds) = difference { seconds } else { nil }
        }.first
    }
}

extension IntrospectionResult: EventKind {
    package static let name = "secondOpinion"
    package static let recordedAs = "secondOpinion._0"
    package static let summary =
        "The server was asked about a token in use, beside what is believed of it."
    package static let fields: [EventField<IntrospectionResult>] = [
        .choice("question", "What it was asked about.") { (introspection: IntrospectionResult) in
            introspection.question
        },
        .text("token", "The fingerprint of the token.") { $0.token.digits },
        .choice("outcome", "How it answered.") { (introspection: IntrospectionResult) in
            introspection.answer.code
        },
        .flag("active", "Whether it accepts the token.", isOptional: true) {
            $0.statement?.isActive
        },
        .integer(
            "expiresAt",
            "When it says that the token ends, in seconds since 1970 by its clock.",
            isOptional: true
        ) { $0.statement?.expiresAt.map { Int($0) } },
        .seconds(
            "endDifference",
            "By how much that is later than believed, if it differs.",
            isOptional: true
        ) { $0.endDifference },
        .text("scope", "The scope of the token.", isOptional: true) { $0.statement?.scope },
        .text("subject", "The user.", isOptional: true) { $0.statement?.subject },
        .text("clientId", "The client.", isOptional: true) { $0.statement?.clientID },
        .text("tokenType", "The type of the token.", isOptional: true) {
            $0.statement?.tokenType
        },
        .flag("differs", "Whether it contradicts what is believed.") {
            !$0.differences.isEmpty
        },
        .sentence("message", "The same for users.") { $1.text($0) },
    ]

    package var kept: (any EventKind)? { self }
    package var tone: EventTone { differences.isEmpty ? .plain : .warning }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.introspections.append(self, at: event.moment)
    }
}
