import Model

/// The faults of the sandbox, one a row, with more about the selected one below it.
struct FaultsText {
    /// Rows above the first fault.
    static let rowsAbove = 2
    /// The most rows that are needed for the selected fault on a narrow screen.
    static let rowsOfDetail = 3
    private static let stateWidth = 8
    private static let firedWidth = 7

    let known: KnownFaults
    let choice: FaultChoice
    let viewModel: ViewModel

    var document: Document {
        var document = Document(title: "Faults of the sandbox")
        document.indent = 4
        document.addUnbroken(head)
        addList(to: &document)
        if let problem = known.problem {
            document.add(Line())
            document.add(Line("⚠ \(problem.message)", .warning))
        }
        return document
    }

    /// The filter, or how many are on.
    private var head: Line {
        guard !choice.isFiltering, choice.filter.isEmpty else {
            let cursor = choice.isFiltering ? Line(" ", .selected) : Line()
            return Line("/", .key) + Line(choice.filter) + cursor
        }
        let count = known.faults?.count { !$0.isOff } ?? 0
        return count == 0
            ? Line("none is on", .dim)
            : Line("\(CountFormatter.count(count, "fault")) on", .warning)
    }

    private func addList(to document: inout Document) {
        guard known.faults != nil else {
            if known.problem == nil { document.add(Line("asking the sandbox …", .busy)) }
            return
        }
        let faults = known.matching(choice.filter)
        guard !faults.isEmpty else { return document.add(Line("none matches", .dim)) }
        let nameWidth = (faults.map { Line($0.fault.name).width }.max() ?? 0) + 2
        document.addUnbroken(
            Line("  ")
                + (Line("fault").fitted(to: nameWidth) + Line("state").fitted(to: Self.stateWidth)
                + Line("fired").fitted(to: Self.firedWidth) + Line("what happens"))
                .styled(.dim)
        )
        for (index, fault) in faults.enumerated() {
            let isSelected = index == choice.selected
            document.addUnbroken(row(fault, isSelected: isSelected, nameWidth))
            if isSelected { document.add(detail(fault)) }
        }
    }

    private func row(_ fault: SandboxFault, isSelected: Bool, _ nameWidth: Int) -> Line {
        let state = Line(fault.setting.state.description, fault.isOff ? .dim : .warning)
        let fired = Line(
            fault.fired == 0 ? "–" : "\(fault.fired)×",
            fault.fired == 0 ? .dim : .plain
        )
        let line =
            Line(isSelected ? "▸ " : "  ") + Line(fault.fault.name).fitted(to: nameWidth)
            + state.fitted(to: Self.stateWidth) + fired.fitted(to: Self.firedWidth)
            + (isSelected ? Line() : Line(fault.fault.sentence, .dim))
        return isSelected ? line.styled(.selected) : line
    }

    /// What the selected fault does, in more than a narrow row has room for.
    private func detail(_ fault: SandboxFault) -> Line {
        let kinds = "in \(fault.fault.kinds.map(\.rawValue).joined(separator: ", "))"
        let parts = [fault.fault.sentence, kinds, fault.fault.parameterText].compactMap(\.self)
        return Line("    ") + Line(parts.joined(separator: " · "), .dim)
    }
}
