import Basics
package import Model
import Profiles

/// Experiments with the app, and the names of its tests.
extension ObservationStore {
    /// Begins an experiment with one session, or with any.
    package func begin(_ experiment: Fault, with session: SessionID? = nil) {
        readWaiting()
        handleNow(.experimentBegan(experiment, session: session))
        injector?.arm(experiment, session: session, reader: reader, machine: machine)
    }

    /// Ends the experiments of a name, or all; their scorecards show what was seen.
    package func stop(_ experiment: Fault? = nil) {
        injector?.disarm(experiment)
        readWaiting()
        handleNow(.experimentStopped(experiment))
    }

    /// Names the test that is in progress; an empty name ends it.
    package func mark(_ name: String) {
        readWaiting()
        handleNow(.mark(name.inOneLine(limit: 80)))
    }

    /// The test that is in progress, or `nil` if none was named.
    package var mark: String? { machine.mark }

    /// The sessions that are known, in the order in which they were first seen.
    package var families: [TokenFamily] {
        machine.traffic.graph.families.values.sorted { $0.id < $1.id }
    }

    /// Forgets what was found so far, and ends all experiments.
    package func forgetResults() {
        stop()
        machine.forgetResults()
    }
}
