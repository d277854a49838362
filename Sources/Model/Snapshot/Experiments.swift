/// The experiments with the backend of a session.
package struct Experiments: Sendable, Equatable {
    /// The one in progress, or `nil` if there is none.
    package private(set) var current: Experiment?
    /// The last verdict of each.
    package private(set) var verdicts: [Experiment: ExperimentVerdict] = [:]

    init() {}

    mutating func begin(_ experiment: Experiment) {
        current = experiment
    }

    mutating func end(_ result: ExperimentResult) {
        current = nil
        verdicts[result.experiment] = result.verdict
    }
}
