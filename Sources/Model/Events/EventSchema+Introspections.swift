import Basics
import Profiles

/// Questions to the server about the tokens in use.
extension EventSchema {
    private static let question: [PayloadField<IntrospectionResult>] = [
        .choice("question", "What it was asked about.") { (introspection: IntrospectionResult) in
            introspection.question
        },
        .text("token", "The fingerprint of the token.") { $0.token.digits },
        .choice("outcome", "How it answered.") { (introspection: IntrospectionResult) in
            introspection.answer.code
        },
    ]

    private static let statement: [PayloadField<IntrospectionResult>] = [
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
    ]

    private static let verdict: [PayloadField<IntrospectionResult>] = [
        .flag("differs", "Whether it contradicts what is believed.") {
            !$0.differences.isEmpty
        },
        .sentence("message", "The same for a person.") { $1.text($0) },
    ]

    static let introspections = list {
        EventDefinition(
            "secondOpinion",
            "The server was asked about a token in use, beside what is believed of it.",
            { kind -> IntrospectionResult? in
                if case .secondOpinion(let introspection) = kind { introspection } else { nil }
            },
            question + statement + verdict
        )
    }
}
