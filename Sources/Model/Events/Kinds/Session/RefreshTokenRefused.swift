import Basics

/// The backend refuses the refresh token for good.
package struct RefreshTokenRefused: EventKind {
    package var evidence: RefusalEvidence

    package init(_ evidence: RefusalEvidence) {
        self.evidence = evidence
    }

    private enum CodingKeys: String, CodingKey {
        case evidence = "_0"
    }
}

extension RefreshTokenRefused {
    package static let name = "refreshTokenRefused"
    package static let summary = "The backend refuses the refresh token for good."
    package static let fields: [EventField<RefreshTokenRefused>] = [
        .seconds("age", "Since the request from which its life counts.") { $0.evidence.age },
        .seconds("lifetime", "How long it was to live, if stated.", isOptional: true) {
            $0.evidence.lifetime
        },
        .text("lifetimeSource", "How that is known.", isOptional: true) {
            $0.evidence.source?.rawValue
        },
        .integer(
            "unanswered",
            "How often it may have been sent before without a usable answer."
        ) {
            $0.evidence.sendsWithoutAnswer
        },
        .list(
            "possibleCauses",
            "What may have ended it, the likeliest first. Any of "
                + PossibleCause.allCases.map { "`\($0.rawValue)`" }
                .joined(separator: ", ") + "."
        ) { $0.evidence.possibleCauses.map { .string($0.rawValue) } },
        .text("message", "What the backend said of it.", isOptional: true) { $0.evidence.message },
    ]

    package var kept: (any EventKind)? { self }
    package var tone: EventTone { .bad }
    package var lifelineMark: LifelineMark? { .died }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.refusal = evidence
    }
}
