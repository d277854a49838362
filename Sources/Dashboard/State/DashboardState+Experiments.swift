import Lifecycle

extension DashboardState {
    /// Opens the list of experiments, or closes it.
    mutating func openExperiments() {
        if case .experiments? = box?.box {
            box = nil
        } else {
            box = OpenBox(.experiments(selected: 0))
        }
    }

    mutating func selectExperiment(_ move: ListMove, from selected: Int) {
        let last = Experiment.allCases.count - 1
        let aim = move.rows(height: Experiment.allCases.count).map { selected + $0 }
        let next = min(max(0, aim ?? (move == .start ? 0 : last)), last)
        box?.box = .experiments(selected: next)
    }

    /// Asks first, unless the backend is the sandbox of this machine.
    mutating func runSelectedExperiment() -> [DashboardCommand] {
        guard case .experiments(let selected)? = box?.box,
            Experiment.allCases.indices.contains(selected)
        else { return [] }
        let experiment = Experiment.allCases[selected]
        guard isOnSandbox else {
            box = OpenBox(.question(.experiment(experiment)))
            return []
        }
        return command(.experiment(experiment))
    }

    /// Whether the backend is the sandbox; one on another machine is a real one, even if it claims
    /// to be a sandbox.
    var isOnSandbox: Bool { selected.isLocal && session.claimsSandbox }
}
