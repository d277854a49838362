import Model

extension DashboardState {
    /// Opens the list of experiments, or closes it.
    mutating func openExperiments() {
        if case .experiments? = overlay?.content {
            overlay = nil
        } else {
            overlay = OpenOverlay(.experiments(selected: 0))
        }
    }

    mutating func selectExperiment(_ move: ListMove, from selected: Int) {
        let last = experimentRows - 1
        let aim = move.rows(height: experimentRows).map { selected + $0 }
        showExperiment(min(max(0, aim ?? (move == .start ? 0 : last)), last))
    }

    /// Selects a row, which is kept in sight with what is said of it.
    private mutating func showExperiment(_ selected: Int) {
        overlay?.content = .experiments(selected: selected)
        guard let open = overlay else { return }
        let body = Area(columns: columns, rows: max(0, rows - rowsAbove - 1))
        let document = open.document(presentViewModel)
        let (area, lines) = OverlayView.area(for: document, in: body)
        let height = area.rows - 2
        let bottom = selected + lines.count - experimentRows
        overlay?.scroll = max(0, min(max(open.scroll, bottom - height + 1), selected))
    }

    private var experimentRows: Int {
        isObserved ? Fault.ofApp.count : ExperimentsText.Row.all.count
    }

    /// Asks first, unless the backend is the sandbox of this machine.
    mutating func runSelectedExperiment() -> [DashboardCommand] {
        if isObserved { return runSelectedAppExperiment() }
        guard case .experiments(let selected)? = overlay?.content,
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
                overlay = OpenOverlay(.question(.experiment(experiment)))
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

    // MARK: - With an app

    /// Asks first, unless the backends are on this machine; stops what goes on until it is stopped.
    private mutating func runSelectedAppExperiment() -> [DashboardCommand] {
        guard case .experiments(let selected)? = overlay?.content,
            Fault.ofApp.indices.contains(selected)
        else { return [] }
        return beginOrStop(Fault.ofApp[selected])
    }

    /// Begins the last experiment again, or stops it.
    mutating func repeatExperiment() -> [DashboardCommand] {
        guard let last = book.scorecards.last else {
            notice = Notice("no experiment to repeat: E lists them", isWarning: false)
            return []
        }
        return beginOrStop(last.experiment)
    }

    private mutating func beginOrStop(_ experiment: Fault) -> [DashboardCommand] {
        let running = book.scorecards.last {
            $0.experiment.name == experiment.name && !$0.isOver && $0.experiment.isByHand
        }
        if let running { return [.stopExperiment(running.experiment)] }
        guard configuration.proxy?.isLocal ?? false else {
            overlay = OpenOverlay(.question(.appExperiment(experiment)))
            return []
        }
        return begin(experiment)
    }

    mutating func begin(_ experiment: Fault) -> [DashboardCommand] {
        showExperiments(at: experiment)
        // That of the traffic without a token stands for any.
        let isOne = selection.map { $0.description != "0" } ?? false
        return [.beginExperiment(experiment, with: isOne ? selection : nil)]
    }

    mutating func showExperiments(at experiment: Fault) {
        let selected = Fault.ofApp.firstIndex { $0.name == experiment.name } ?? 0
        overlay = OpenOverlay(.experiments(selected: selected))
    }
}

extension KeyContext {
    var experimentsObstacle: String? {
        isObserved || hasTokens ? nil : "no tokens to experiment with: not logged in"
    }
}

extension KeyTable {
    static let experiments: [KeyCommand] = [
        KeyCommand(
            keys: [.enter],
            modes: [.experiments],
            section: .experiments,
            hint: "run it",
            help: "run the selected one (asks first on a real backend)",
            scope: .experiment,
            obstacle: { $0.experimentsObstacle },
            effect: .run { $0.runSelectedExperiment() }
        ),
        KeyCommand(
            keys: [.left, "-"],
            modes: [.experiments],
            section: .experiments,
            hint: "clock back",
            help: "shift our clock back: to −1 min, −5 min",
            scope: .session,
            effect: .run { $0.shiftClock(.earlier) }
        ),
        KeyCommand(
            keys: [.right, "+"],
            modes: [.experiments],
            section: .experiments,
            hint: "clock on",
            help: "on: to +1 min, +5 min",
            joinsPrevious: true,
            scope: .session,
            effect: .run { $0.shiftClock(.later) }
        ),
    ]
}
