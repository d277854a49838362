import Basics

/// The end of an experiment.
package struct ExperimentResult: Sendable, Hashable, Codable {
    package let experiment: Fault
    package let verdict: ExperimentVerdict

    package init(_ experiment: Fault, _ verdict: ExperimentVerdict) {
        self.experiment = experiment
        self.verdict = verdict
    }
}

extension ExperimentResult: EventKind {
    package static let name = "experimentEnded"
    package static let recordedAs = "experimentEnded._0"
    package static let summary = "An experiment with the backend is over."
    package static let fields: [EventField<ExperimentResult>] = [
        .experiment("experiment", "Which one.") { $0.experiment },
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
        session.experiments.end(self, at: event.moment)
    }
}

extension EventField {
    /// An experiment of authtop's own client, by its name in recordings.
    static func experiment(
        _ name: String,
        _ summary: String,
        _ read: @escaping Read<Fault>
    ) -> Self {
        .text(name, summary, among: Fault.ofClient.map(\.recordedName)) { read($0).recordedName }
    }
}

// MARK: - Its scorecard

extension ExperimentResult {
    /// The lines of its scorecard: what was expected of the backend, and what it did.
    package var lines: [Scorecard.Line] {
        experiment.checks.map { check in
            Scorecard.Line(check, Self.verdict(verdict, on: check), shown: verdict)
        }
    }

    /// Returns whether what was shown is what is expected.
    private static func verdict(
        _ shown: ExperimentVerdict,
        on check: Scorecard.Check
    ) -> Scorecard.Verdict {
        switch (check, shown) {
        // It is sound to answer again, for a while, with what was lost.
        case (.answersAgain, .acceptedAgain), (.survivesTwo, .acceptedAgain(isSamePair: true)),
            (.refusesReplaced, .sessionRevoked(wasAccepted: false)):
            .passed
        case (.answersAgain, .refusedAlone), (.answersAgain, .sessionRevoked(wasAccepted: false)),
            (.survivesTwo, .sessionRevoked(wasAccepted: false)):
            .failed
        case (_, .tokenRefused(_, hasOtherCause: false)), (_, .refusedAlone),
            (_, .feedReturned(_, missed: 0)):
            .passed
        case (_, .tokenRefused), (_, .sessionRevoked(wasAccepted: false)),
            (_, .sessionRevoked(wasAccepted: nil)), (_, .inconclusive), (_, .unanswered),
            (_, .notMade), (_, .interrupted), (_, .feedReturnedSilent),
            (_, .acceptedAgain(isSamePair: true)), (_, .bothRefused):
            .notReached
        case (_, .tokenAccepted), (_, .acceptedAgain(isSamePair: false)), (_, .onlyOneValid),
            (_, .sessionRevoked(wasAccepted: true)), (_, .feedReturned), (_, .feedStayedAway):
            .failed
        }
    }
}
