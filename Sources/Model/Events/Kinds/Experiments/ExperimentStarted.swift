/// The user began an experiment with the backend.
package struct ExperimentStarted: EventKind {
    package var experiment: Fault

    package init(_ experiment: Fault) {
        self.experiment = experiment
    }

    private enum CodingKeys: String, CodingKey {
        case experiment = "_0"
    }
}

extension ExperimentStarted {
    package static let name = "experimentStarted"
    package static let summary = "The user began an experiment with the backend."
    package static let fields: [EventField<ExperimentStarted>] = [
        .experiment("experiment", "Which one.") { $0.experiment }
    ]

    package var kept: (any EventKind)? { self }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.experiments.begin(experiment, at: event.moment)
    }
}
