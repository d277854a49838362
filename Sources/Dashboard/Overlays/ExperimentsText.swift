import Lifecycle

/// The experiments with the backend, one a row, with more about the selected one below.
struct ExperimentsText {
    let experiments: Experiments
    let selected: Int

    var document: Document {
        var document = Document(title: "Experiments with the backend")
        let names = Experiment.allCases.map(ExperimentText.name)
        let width = (names.map(\.count).max() ?? 0) + 2
        for (index, experiment) in Experiment.allCases.enumerated() {
            let isSelected = index == selected
            let line =
                Line(isSelected ? "▸ " : "  ") + Line(names[index]).fitted(to: width)
                + state(experiment)
            document.addUnbroken(isSelected ? line.styled(.selected) : line)
        }
        guard Experiment.allCases.indices.contains(selected) else { return document }
        let experiment = Experiment.allCases[selected]
        document.add(Line())
        if let verdict = experiments.verdicts[experiment] {
            let result = ExperimentResult(experiment, verdict)
            document.add(
                "showed",
                ExperimentText.sentence(result),
                ExperimentText.style(verdict)
            )
        }
        document.add("does", ExperimentText.action(experiment))
        document.add("expected", ExperimentText.expectation(experiment))
        return document
    }

    private func state(_ experiment: Experiment) -> Line {
        if experiments.current == experiment { return Line("under way …", .busy) }
        guard let verdict = experiments.verdicts[experiment] else { return Line("–", .dim) }
        return Line(ExperimentText.brief(verdict), ExperimentText.style(verdict))
    }
}
