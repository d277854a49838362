import Basics

/// The end of an experiment.
package struct ExperimentResult: Sendable, Hashable, Codable {
    package let experiment: Experiment
    package let verdict: ExperimentVerdict

    package init(_ experiment: Experiment, _ verdict: ExperimentVerdict) {
        self.experiment = experiment
        self.verdict = verdict
    }
}

extension ExperimentResult: EventKind {
    package static let name = "experimentEnded"
    package static let recordedAs = "experimentEnded._0"
    package static let summary = "An experiment with the backend is over."
    package static let fields: [EventField<ExperimentResult>] = [
        .choice("experiment", "Which one.") { $0.experiment },
        .choice("verdict", "What it showed.") { $0.verdict.code },
        .sentence("message", "What it showed, for users.") { $1.text($0) },
        .integer("status", "The status that decided it.", isOptional: true) {
            $0.verdict.status
        },
        .seconds(
            "seconds",
            "Since the end of an accepted token, or until the feed was open again.",
            isOptional: true
        ) { $0.verdict.seconds },
        .flag(
            "accepted",
            "Whether the second use of a refresh token was accepted.",
            isOptional: true
        ) { (result: ExperimentResult) -> Bool? in
            switch result.verdict {
            case .refusedAlone, .bothRefused: false
            case .acceptedAgain, .onlyOneValid: true
            case .sessionRevoked(let wasAccepted): wasAccepted
            default: nil
            }
        },
        .flag(
            "samePair",
            "Whether both uses brought the same refresh token.",
            isOptional: true
        ) {
            if case .acceptedAgain(let isSamePair) = $0.verdict { isSamePair } else { nil }
        },
        .integer("missed", "The feed's messages that are missing.", isOptional: true) {
            if case .feedReturned(_, let missed) = $0.verdict { missed } else { nil }
        },
    ]

    package var kept: (any EventKind)? { self }
    package var isNotice: Bool { true }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.experiments.end(self)
    }
}
