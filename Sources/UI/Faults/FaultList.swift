import Model

/// A part of the list of faults and experiments: those that act in one place.
enum FaultSection: Sendable, Hashable, CaseIterable {
    /// Faults of the sandbox.
    case backend
    /// Experiments of authtop's own client with its backend.
    case client
    /// Experiments with an app behind the proxy.
    case app

    var title: String {
        switch self {
        case .backend: "Faults of the sandbox"
        case .client: "Experiments with the backend"
        case .app: "Experiments with the app"
        }
    }

    /// Why none of it can act here, or `nil` if it can.
    func obstacle(in context: KeyContext) -> String? {
        switch self {
        case .backend where context.isObserved, .client where context.isObserved:
            "in authtop watch"
        case .backend:
            context.faultsObstacle.map { _ in "this backend has not said that it is the sandbox" }
        case .client: context.experimentsObstacle
        case .app: context.isObserved ? nil : "in authtop proxy"
        }
    }
}

/// A row of the list.
enum FaultRow: Sendable, Hashable {
    /// A fault of the sandbox, by its name.
    case sandbox(String)
    case experiment(Experiment)
    case clock
    case app(Fault)

    /// That of an experiment with an app, whatever values it has.
    static func app(named experiment: Fault) -> FaultRow {
        .app(Fault.ofApp.first { $0.name == experiment.name } ?? experiment)
    }

    var section: FaultSection {
        switch self {
        case .sandbox: .backend
        case .experiment, .clock: .client
        case .app: .app
        }
    }
}

/// The user's place in the list.
struct FaultChoice: Sendable, Equatable {
    /// The section in which it was opened.
    var section: FaultSection
    /// The selected row, or `nil` for the first of the section.
    var selected: FaultRow?
    var filter = ""
    /// Whether the filter is being written.
    var isFiltering = false

    init(at section: FaultSection, selected: FaultRow? = nil) {
        self.section = section
        self.selected = selected
    }
}

/// The rows of the list that match the filter.
struct FaultList {
    let viewModel: ViewModel
    let choice: FaultChoice

    /// Those of which something can act here, or has a result: an experiment may end the session.
    var sections: [FaultSection] {
        FaultSection.allCases.filter {
            $0.obstacle(in: viewModel.keyContext) == nil
                || $0 == .client && !viewModel.session.experiments.verdicts.isEmpty
        }
    }

    var rows: [FaultRow] { sections.flatMap(rows) }

    func rows(of section: FaultSection) -> [FaultRow] {
        let all: [FaultRow] =
            switch section {
            case .backend:
                (viewModel.knownFaults.faults ?? []).map { .sandbox($0.fault.name) }
            case .client: Experiment.allCases.map(FaultRow.experiment) + [.clock]
            case .app: Fault.ofApp.map(FaultRow.app)
            }
        guard !choice.filter.isEmpty else { return all }
        let needle = Needle(choice.filter)
        return all.filter { row in texts(row).contains { needle.isIn($0) } }
    }

    /// The selected row, or `nil` if no row matches, or those of the section are not known yet.
    var selected: FaultRow? {
        let rows = rows
        if let selected = choice.selected, rows.contains(selected) { return selected }
        return rows.first { $0.section == choice.section }
            ?? (choice.filter.isEmpty ? nil : rows.first)
    }

    /// The section of the selected row, or else the one in which the list was opened.
    var section: FaultSection { selected?.section ?? choice.section }

    func sandboxFault(_ name: String) -> SandboxFault? {
        viewModel.knownFaults.faults?.first { $0.fault.name == name }
    }

    /// The name and the effect, in which a filter looks.
    private func texts(_ row: FaultRow) -> [String] {
        switch row {
        case .sandbox(let name): [name, sandboxFault(name)?.fault.sentence ?? ""]
        case .experiment(let experiment):
            [ExperimentText.name(experiment), ExperimentText.action(experiment)]
        case .clock: [ClockShiftText.name, ClockShiftText.action(viewModel.keys)]
        case .app(let fault): [fault.name, fault.sentence]
        }
    }
}
