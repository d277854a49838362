import Model

/// What can be tried with an app, one a row, with the last scorecard of the selected one below its
/// row.
struct AppExperimentsText {
    let scorecards: BoundedLog<Scorecard>
    let selected: Int

    var document: Document {
        var document = Document(title: "Experiments with the app")
        let width = (Fault.ofApp.map(\.description.count).max() ?? 0) + 2
        for (index, experiment) in Fault.ofApp.enumerated() {
            let isSelected = index == selected
            let last = last(of: experiment)
            let state = last.map {
                Line(
                    ScorecardText.word($0.verdict),
                    ScorecardText.style($0.verdict)
                )
            }
            let name = (last?.experiment ?? experiment).description
            let line =
                Line(isSelected ? "▸ " : "  ") + Line(name).fitted(to: width)
                + (state ?? Line("–", .dim))
            document.addUnbroken(isSelected ? line.styled(.selected) : line)
            if isSelected { addDetail(experiment, last, to: &document) }
        }
        return document
    }

    private func last(of experiment: Fault) -> Scorecard? {
        scorecards.last { $0.experiment.name == experiment.name }
    }

    private func addDetail(
        _ experiment: Fault,
        _ last: Scorecard?,
        to document: inout Document
    ) {
        document.add("  does", (last?.experiment ?? experiment).sentence)
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
            document.add("  stop", "Enter stops it", .dim)
        }
    }
}
