import Model

/// The faults that can be caused, one a row, with details of the selected one below its row.
///
/// The sections that cannot act here come last, with the reason in place of rows.
struct FaultsText {
    private static let stateWidth = 8
    private static let firedWidth = 7

    let list: FaultList
    private var viewModel: ViewModel { list.viewModel }

    init(_ choice: FaultChoice, _ viewModel: ViewModel) {
        list = FaultList(viewModel: viewModel, choice: choice)
    }

    var document: Document {
        var document = Document(title: "Faults and experiments")
        addFilter(to: &document)
        let sections = list.sections
        for section in sections { add(section, to: &document) }
        document.add(Line())
        for section in FaultSection.allCases where !sections.contains(section) {
            let reason = section.obstacle(in: viewModel.keyContext) ?? ""
            document.add(Line("\(section.title): \(reason)", .dim))
        }
        return document
    }

    private func addFilter(to document: inout Document) {
        guard list.choice.isFiltering || !list.choice.filter.isEmpty else { return }
        let cursor = list.choice.isFiltering ? Line(" ", .selected) : Line()
        document.addUnbroken(Line("/", .key) + Line(list.choice.filter) + cursor)
    }

    private func add(_ section: FaultSection, to document: inout Document) {
        if !document.lines.isEmpty { document.add(Line()) }
        document.add(Line(section.title, .title) + Line("  ") + note(section))
        let rows = list.rows(of: section)
        guard !rows.isEmpty else {
            if !list.choice.filter.isEmpty { document.add(Line("none matches", .dim)) }
            return
        }
        let width = (rows.map { name($0).width }.max() ?? 0) + 2
        if section == .backend { document.addUnbroken(columns(width)) }
        let selected = list.selected
        for row in rows {
            let isSelected = row == selected
            let start = document.lines.count
            let name = Line(isSelected ? "▸ " : "  ") + name(row).fitted(to: width)
            let line = name + state(row, isSelected: isSelected)
            document.addUnbroken(isSelected ? line.styled(.selected) : line)
            guard isSelected else { continue }
            addDetail(row, to: &document)
            // With the first row, the heading stays in sight, too.
            let top = row == rows.first ? max(0, start - 2) : start
            document.selected = top..<document.lines.count
        }
    }

    /// The number of the sandbox's faults that are on, or the reason why nothing can act.
    private func note(_ section: FaultSection) -> Line {
        guard section == .backend else {
            return Line(section.obstacle(in: viewModel.keyContext) ?? "", .dim)
        }
        let known = viewModel.knownFaults
        if let problem = known.problem { return Line("⚠ \(problem.message)", .warning) }
        guard let faults = known.faults else { return Line("asking the sandbox …", .busy) }
        let count = faults.count { !$0.isOff }
        return count == 0
            ? Line("none is on", .dim)
            : Line("\(CountFormatter.count(count, "fault")) on", .warning)
    }

    private func columns(_ nameWidth: Int) -> Line {
        (Line("  ") + Line("fault").fitted(to: nameWidth)
            + Line("state").fitted(to: Self.stateWidth)
            + Line("fired").fitted(to: Self.firedWidth) + Line("what happens"))
            .styled(.dim)
    }

    // MARK: - A row

    private func name(_ row: FaultRow) -> Line {
        switch row {
        case .sandbox(let name): Line(name)
        case .experiment(let experiment): Line(ExperimentText.name(experiment))
        case .clock: Line(ClockShiftText.name)
        case .app(let fault): Line((scorecard(of: fault)?.experiment ?? fault).description)
        }
    }

    private func state(_ row: FaultRow, isSelected: Bool) -> Line {
        switch row {
        case .sandbox(let name):
            guard let fault = list.sandboxFault(name) else { return Line() }
            let state = Line(fault.setting.state.description, fault.isOff ? .dim : .warning)
            let fired =
                fault.fired == 0 ? Line("–", .dim) : Line("\(fault.fired)×")
            return state.fitted(to: Self.stateWidth) + fired.fitted(to: Self.firedWidth)
                + (isSelected ? Line() : Line(fault.fault.sentence, .dim))
        case .experiment(let experiment):
            if viewModel.session.experiments.current == experiment {
                return Line("running …", .busy)
            }
            guard let verdict = viewModel.session.experiments.verdicts[experiment] else {
                return Line("–", .dim)
            }
            let result = ExperimentResult(experiment, verdict)
            return Line(ExperimentText.brief(verdict), ExperimentText.style(result))
        case .clock:
            let shift = viewModel.session.clockShift
            return shift == 0 ? Line("–", .dim) : Line(ClockShiftText.amount(shift), .warning)
        case .app(let fault):
            guard let verdict = scorecard(of: fault)?.verdict else { return Line("–", .dim) }
            return Line(ScorecardText.word(verdict), ScorecardText.style(verdict))
        }
    }

    private func scorecard(of fault: Fault) -> Scorecard? {
        viewModel.book.scorecards.last { $0.experiment.name == fault.name }
    }

    // MARK: - The selected one

    private func addDetail(_ row: FaultRow, to document: inout Document) {
        switch row {
        case .sandbox(let name):
            guard let fault = list.sandboxFault(name)?.fault else { return }
            document.add("  does", fault.sentence)
            document.add("  in", fault.kinds.map(\.rawValue).joined(separator: ", "))
            if let parameter = fault.parameterText { document.add("  with", parameter) }
        case .experiment(let experiment): addDetail(experiment, to: &document)
        case .clock: addClock(to: &document)
        case .app(let fault): addDetail(fault, scorecard(of: fault), to: &document)
        }
    }

    private func addDetail(_ experiment: Experiment, to document: inout Document) {
        if let verdict = viewModel.session.experiments.verdicts[experiment] {
            let result = ExperimentResult(experiment, verdict)
            document.add(
                "  showed",
                ExperimentText.sentence(result),
                ExperimentText.style(result)
            )
        }
        document.add("  does", ExperimentText.action(experiment))
        document.add("  expected", ExperimentText.expectation(experiment))
        for (index, outcome) in ExperimentText.outcomes(experiment).enumerated() {
            document.add(index == 0 ? "  by policy" : "", outcome)
        }
    }

    private func addClock(to document: inout Document) {
        let session = viewModel.session
        if session.clockShift != 0 {
            let offset = session.serverOffset.map { "the server's \(ExpiryText.clock($0))" }
            document.add("  found", offset ?? "no answer with a Date since", .busy)
        }
        document.add("  does", ClockShiftText.action(viewModel.keys))
        document.add("  expected", ClockShiftText.expectation)
        document.add("  besides", ClockShiftText.risk)
    }

    private func addDetail(_ fault: Fault, _ last: Scorecard?, to document: inout Document) {
        document.add("  does", (last?.experiment ?? fault).sentence)
        guard let last else { return }
        if last.injected.isEmpty {
            let text =
                last.isOver
                ? "nothing came that it could change" : "nothing yet: use the app now"
            document.add("  changed", text, .dim)
        } else {
            let exchanges = last.injected.suffix(6).map { "#\($0)" }.joined(separator: " ")
            document.add("  changed", exchanges)
        }
        for (index, line) in last.lines.enumerated() {
            document.add(
                index == 0 ? "  the app" : "",
                ScorecardText.sentence(line),
                ScorecardText.style(line.verdict)
            )
        }
        if !last.isOver, last.experiment.isByHand {
            document.add("  stop", "\(viewModel.keys.name(of: .runExperiment)) stops it", .dim)
        }
    }
}
