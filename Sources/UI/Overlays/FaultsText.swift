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
        for section in Fault.Place.allCases where !sections.contains(section) {
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

    private func add(_ section: Fault.Place, to document: inout Document) {
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
    private func note(_ section: Fault.Place) -> Line {
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
        case .fault(let fault) where fault.place == .backend: Line(fault.name)
        case .fault(let fault): Line((list.scorecard(of: fault)?.experiment ?? fault).words)
        case .clock: Line(ClockShiftText.name)
        }
    }

    private func state(_ row: FaultRow, isSelected: Bool) -> Line {
        switch row {
        case .fault(let fault) where fault.place == .backend:
            guard let fault = list.sandboxFault(fault) else { return Line() }
            let state = Line(fault.setting.state.description, fault.isOff ? .dim : .warning)
            let fired =
                fault.fired == 0 ? Line("–", .dim) : Line("\(fault.fired)×")
            return state.fitted(to: Self.stateWidth) + fired.fitted(to: Self.firedWidth)
                + (isSelected ? Line() : Line(fault.fault.sentence, .dim))
        case .fault(let fault):
            guard let last = list.scorecard(of: fault) else { return Line("–", .dim) }
            return Line(ScorecardText.word(last), ScorecardText.style(last.verdict))
        case .clock:
            let shift = viewModel.session.clockShift
            return shift == 0 ? Line("–", .dim) : Line(ClockShiftText.amount(shift), .warning)
        }
    }

    // MARK: - The selected one

    private func addDetail(_ row: FaultRow, to document: inout Document) {
        guard case .fault(let fault) = row else { return addClock(to: &document) }
        switch fault.place {
        case .backend:
            guard let fault = list.sandboxFault(fault)?.fault else { return }
            document.add("  does", fault.sentence)
            document.add("  in", fault.kinds.map(\.rawValue).joined(separator: ", "))
            if let parameter = fault.parameterText { document.add("  with", parameter) }
        case .client:
            let lines = list.scorecard(of: fault)?.lines ?? []
            add(lines.filter { $0.shown != nil }, "  showed", to: &document)
            document.add("  does", fault.sentence)
            for check in fault.checks { document.add("  expected", ScorecardText.text(check)) }
            for (index, outcome) in fault.outcomes.enumerated() {
                document.add(index == 0 ? "  by policy" : "", outcome)
            }
        case .app: addDetail(of: fault, list.scorecard(of: fault), to: &document)
        }
    }

    private func add(
        _ lines: [Scorecard.Line],
        _ label: String,
        to document: inout Document
    ) {
        for (index, line) in lines.enumerated() {
            document.add(
                index == 0 ? label : "",
                ScorecardText.sentence(line),
                ScorecardText.style(line.verdict)
            )
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

    private func addDetail(of fault: Fault, _ last: Scorecard?, to document: inout Document) {
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
        add(last.lines, "  the app", to: &document)
        if !last.isOver, last.experiment.isByHand {
            document.add("  stop", "\(viewModel.keys.name(of: .runExperiment)) stops it", .dim)
        }
    }
}
