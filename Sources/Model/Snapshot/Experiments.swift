import Basics

/// The experiments of authtop's own client with the backend of a session.
package struct Experiments: Sendable, Equatable {
    /// The last scorecard of each, in the order in which these began.
    package private(set) var scorecards: [Scorecard] = []
    private var count = 0

    init() {}

    /// The one in progress, or `nil` if there is none.
    package var current: Fault? { scorecards.last { !$0.isOver }?.experiment }

    mutating func begin(_ experiment: Fault, at moment: Moment) {
        scorecards.removeAll { $0.experiment == experiment }
        count += 1
        scorecards.append(
            Scorecard(
                number: count,
                experiment: experiment,
                lines: experiment.checks.map { Scorecard.Line($0, .open) },
                startedAt: moment
            )
        )
    }

    mutating func end(_ result: ExperimentResult, at moment: Moment) {
        let isRunning = scorecards.contains { $0.experiment == result.experiment && !$0.isOver }
        if !isRunning { begin(result.experiment, at: moment) }
        for index in scorecards.indices where scorecards[index].experiment == result.experiment {
            scorecards[index].lines = result.lines
            scorecards[index].isOver = true
        }
    }
}
