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
        let last = ExperimentsText.Row.all.count - 1
        let aim = move.rows(height: ExperimentsText.Row.all.count).map { selected + $0 }
        showExperiment(min(max(0, aim ?? (move == .start ? 0 : last)), last))
    }

    /// Selects a row, which is kept in sight with what is said of it.
    private mutating func showExperiment(_ selected: Int) {
        box?.box = .experiments(selected: selected)
        guard let open = box else { return }
        let body = Area(columns: columns, rows: max(0, rows - rowsAbove - 1))
        let document = open.document(presentScene)
        let (area, lines) = BoxView.area(for: document, in: body)
        let height = area.rows - 2
        let bottom = selected + lines.count - ExperimentsText.Row.all.count
        box?.scroll = max(0, min(max(open.scroll, bottom - height + 1), selected))
    }

    /// Asks first, unless the backend is the sandbox of this machine.
    mutating func runSelectedExperiment() -> [DashboardCommand] {
        guard case .experiments(let selected)? = box?.box,
            ExperimentsText.Row.all.indices.contains(selected)
        else { return [] }
        switch ExperimentsText.Row.all[selected] {
        case .clock: return shiftClock(to: clockShift == 0 ? 60 : 0)
        case .experiment(let experiment):
            guard session.experiments.current == nil else {
                notice = Notice("an experiment is under way")
                return []
            }
            guard isOnSandbox else {
                box = OpenBox(.question(.experiment(experiment)))
                return []
            }
            return command(.experiment(experiment))
        }
    }

    mutating func shiftClock(_ step: ClockShift.Step) -> [DashboardCommand] {
        showExperiment(ExperimentsText.Row.all.count - 1)
        return shiftClock(to: ClockShift.position(after: step, from: clockShift))
    }

    private mutating func shiftClock(to seconds: Double) -> [DashboardCommand] {
        guard seconds != clockShift else { return [] }
        clockShift = seconds
        return [.shiftClock(seconds: seconds)]
    }

    /// Whether the backend is the sandbox; one on another machine is a real one, even if it claims
    /// to be a sandbox.
    var isOnSandbox: Bool { selected.isLocal && session.claimsSandbox }
}
