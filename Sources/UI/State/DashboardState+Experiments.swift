import Model

extension DashboardState {
    mutating func runSelectedExperiment() -> [DashboardCommand] {
        switch faultList?.selected {
        case .clock?: return shiftClock(to: clockShift == 0 ? 60 : 0)
        case .fault(let fault)? where fault.place != .backend: return beginOrStop(fault)
        case .fault?, nil: return []
        }
    }

    mutating func shiftClock(_ step: ClockShift.Step) -> [DashboardCommand] {
        showFault(.clock)
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

    // MARK: - To begin one

    /// Begins the last experiment with an app again, or stops it.
    mutating func repeatExperiment() -> [DashboardCommand] {
        guard let last = book.scorecards.last else {
            let key = configuration.keys.name(of: .openExperiments)
            notice = Notice("no experiment to repeat: \(key) lists them", isWarning: false)
            return []
        }
        return beginOrStop(last.experiment)
    }

    /// Asks first, unless what it can harm is on this machine; stops what goes on until it is
    /// stopped.
    private mutating func beginOrStop(_ fault: Fault) -> [DashboardCommand] {
        let isOwn = fault.place == .client
        if isOwn, session.experiments.current != nil {
            notice = Notice("an experiment is running")
            return []
        }
        let running = book.scorecards.last {
            $0.experiment.name == fault.name && !$0.isOver && $0.experiment.isByHand
        }
        if let running { return [.stopExperiment(running.experiment)] }
        guard isOwn ? isOnSandbox : configuration.proxy?.isLocal ?? false else {
            overlay = OpenOverlay(.question(.experiment(fault)))
            return []
        }
        return begin(fault)
    }

    /// Begins an experiment of the client of the selected session, or one with an app.
    mutating func begin(_ fault: Fault) -> [DashboardCommand] {
        guard fault.place == .app else { return command(.experiment(fault)) }
        showFault(FaultRow(fault))
        // That of the traffic without a token stands for any.
        let isOne = selection.map { $0.description != "0" } ?? false
        return [.beginExperiment(fault, with: isOne ? selection : nil)]
    }
}

extension KeyContext {
    var experimentsObstacle: String? {
        isObserved || hasTokens ? nil : "no tokens to experiment with: not logged in"
    }

    var repeatObstacle: String? {
        guard !isObserved else { return nil }
        let (again, list) = (keys.name(of: .repeatExperiment), keys.name(of: .openExperiments))
        return "\(again) repeats an experiment with an app, in authtop proxy; \(list) lists yours"
    }
}

/// Commands whose keys are named in texts.
extension KeyCommand {
    static let runExperiment = KeyCommand(
        keys: [.enter],
        modes: [.experiments],
        section: .experiments,
        hint: "run it",
        help: "run the selected one (asks first on a real backend)",
        scope: .experiment,
        obstacle: { $0.experimentsObstacle },
        effect: .run { $0.runSelectedExperiment() }
    )
}

extension KeyTable {
    static let experiments: [KeyCommand] = [
        .runExperiment,
        KeyCommand(
            keys: [.left, "-"],
            modes: [.experiments],
            section: .experiments,
            hint: "clock back",
            help: "shift authtop's clock back: to −1 m, −5 m",
            scope: .session,
            effect: .run { $0.shiftClock(.earlier) }
        ),
        KeyCommand(
            keys: [.right, "+"],
            modes: [.experiments],
            section: .experiments,
            hint: "clock on",
            help: "forward: +1 m, +5 m",
            joinsPrevious: true,
            scope: .session,
            effect: .run { $0.shiftClock(.later) }
        ),
    ]
}
