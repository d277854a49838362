import Model

/// What can be tried, one a row, with more about the selected one below its row.
struct ExperimentsText {
    enum Row: Hashable {
        case experiment(Experiment)
        case clock

        static let all = Experiment.allCases.map(Row.experiment) + [.clock]

        var name: String {
            switch self {
            case .experiment(let experiment): ExperimentText.name(experiment)
            case .clock: ClockShiftText.name
            }
        }
    }

    let session: SessionSnapshot
    let selected: Int

    var document: Document {
        var document = Document(title: "Experiments with the backend")
        let width = (Row.all.map(\.name.count).max() ?? 0) + 2
        for (index, row) in Row.all.enumerated() {
            let isSelected = index == selected
            let line =
                Line(isSelected ? "▸ " : "  ") + Line(row.name).fitted(to: width) + state(row)
            document.addUnbroken(isSelected ? line.styled(.selected) : line)
            if isSelected { addDetail(row, to: &document) }
        }
        return document
    }

    private func addDetail(_ row: Row, to document: inout Document) {
        switch row {
        case .experiment(let experiment):
            if let verdict = session.experiments.verdicts[experiment] {
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
        case .clock:
            if session.clockShift != 0 {
                let offset = session.serverOffset.map { "the server's \(ExpiryText.clock($0))" }
                document.add("  found", offset ?? "no answer with a Date since", .busy)
            }
            document.add("  does", ClockShiftText.action)
            document.add("  expected", ClockShiftText.expectation)
            document.add("  besides", ClockShiftText.risk)
        }
    }

    private func state(_ row: Row) -> Line {
        switch row {
        case .experiment(let experiment):
            if session.experiments.current == experiment { return Line("under way …", .busy) }
            guard let verdict = session.experiments.verdicts[experiment] else {
                return Line("–", .dim)
            }
            let result = ExperimentResult(experiment, verdict)
            return Line(ExperimentText.brief(verdict), ExperimentText.style(result))
        case .clock:
            return session.clockShift == 0
                ? Line("–", .dim)
                : Line(ClockShiftText.amount(session.clockShift), .warning)
        }
    }
}
