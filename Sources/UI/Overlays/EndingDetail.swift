import Basics
import Model

/// The end of the last session: the known reason, and the possible causes.
struct EndingDetail {
    let ending: SessionEnding
    let viewModel: ViewModel

    var document: Document {
        var document = Document(title: "The end of the last session")
        document.add("ended", Line(viewModel.clock.when(ending.at)))
        if let start = ending.startedAt {
            document.add("began", Line(viewModel.clock.when(start)))
            let life = DurationFormatter.long(ending.at.now.seconds(since: start.now))
            document.add("lasted", Line(life))
        }
        let style: Style = ending.reason.isWanted ? .plain : .warning
        document.add("why", Line(ReasonText.text(ending.reason), style))
        if let refusal = ending.refusal {
            document.addHeading("Refresh token refused")
            document.add(refusal)
        }
        document.addHeading("What to do")
        document.add(Line(ReasonText.advice(ending.reason, viewModel.keys)))
        return document
    }
}

extension Document {
    /// The evidence of a refusal and every cause that it leaves open.
    mutating func add(_ refusal: RefusalEvidence) {
        if let message = refusal.message { add("it said", Line(RefusalText.quoted(message))) }
        add("age", Line(RefusalText.age(refusal)))
        if refusal.sendsWithoutAnswer > 0 {
            let times = CountFormatter.count(refusal.sendsWithoutAnswer, "time")
            add("sent before", Line("perhaps \(times), \(MissingAnswerText.either)"))
        }
        let label = refusal.possibleCauses.count > 1 ? "possible" : "cause"
        for (row, cause) in refusal.possibleCauses.enumerated() {
            add(row == 0 ? label : "", Line(RefusalText.text(cause, refusal)))
        }
    }
}
