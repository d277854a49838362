import Model

/// A place where faults act is a section of the list of faults and experiments.
extension Fault.Place {
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
    /// With its usual values.
    case fault(Fault)
    case clock

    /// That of a fault, whatever values it has.
    init(_ fault: Fault) {
        self = .fault(fault.withUsualValues)
    }

    var section: Fault.Place {
        switch self {
        case .fault(let fault): fault.place
        case .clock: .client
        }
    }
}

/// The user's place in the list.
struct FaultChoice: Sendable, Equatable {
    /// The section in which it was opened.
    var section: Fault.Place
    /// The selected row, or `nil` for the first of the section.
    var selected: FaultRow?
    var filter = ""
    /// Whether the filter is being written.
    var isFiltering = false

    init(at section: Fault.Place, selected: FaultRow? = nil) {
        self.section = section
        self.selected = selected
    }
}

/// The rows of the list that match the filter.
struct FaultList {
    let viewModel: ViewModel
    let choice: FaultChoice

    /// Those of which something can act here, or has a result: an experiment may end the session.
    var sections: [Fault.Place] {
        Fault.Place.allCases.filter {
            $0.obstacle(in: viewModel.keyContext) == nil
                || $0 == .client && !viewModel.session.experiments.scorecards.isEmpty
        }
    }

    var rows: [FaultRow] { sections.flatMap(rows) }

    func rows(of section: Fault.Place) -> [FaultRow] {
        let faults =
            section == .backend
            ? (viewModel.knownFaults.faults ?? []).map(\.fault) : Fault.acting(at: section)
        let all = faults.map { FaultRow($0) } + (section == .client ? [.clock] : [])
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
    var section: Fault.Place { selected?.section ?? choice.section }

    func sandboxFault(_ fault: Fault) -> SandboxFault? {
        viewModel.knownFaults.faults?.first { $0.fault.name == fault.name }
    }

    /// The last scorecard of an experiment, or `nil` if there was none.
    func scorecard(of fault: Fault) -> Scorecard? {
        let last: (Scorecard) -> Bool = { $0.experiment.name == fault.name }
        return fault.place == .client
            ? viewModel.session.experiments.scorecards.last(where: last)
            : viewModel.book.scorecards.last(where: last)
    }

    /// The names and the effect, in which a filter looks.
    private func texts(_ row: FaultRow) -> [String] {
        switch row {
        case .fault(let fault): [fault.name, fault.words, fault.sentence]
        case .clock: [ClockShiftText.name, ClockShiftText.action(viewModel.keys)]
        }
    }
}
