import Basics
import Model

/// Experiments, and what the app makes of them.
extension ObservationMachine {
    private static let scorecardLimit = 256
    private static let markLimit = 10_000

    mutating func begin(
        _ experiment: Fault,
        with session: SessionID?,
        at moment: Moment
    ) {
        stop(experiment, at: moment)
        lastRun += 1
        let run = ExperimentRun(
            scorecard: Scorecard(
                number: lastRun,
                experiment: experiment,
                startedAt: moment,
                mark: mark
            ),
            session: session,
            lastBefore: traffic.exchanges.last?.number ?? 0
        )
        runs.append(run)
        if scorecards.count >= Self.scorecardLimit {
            // One that failed decides how a run ends.
            scorecards.remove(at: scorecards.firstIndex { $0.isOver && $0.verdict != .failed } ?? 0)
            omit(.scorecards, 1, at: moment)
        }
        scorecards.append(run.scorecard)
        emit(run.scorecard, of: run.family, at: moment)
    }

    /// Ends the experiments of a name, or all, before their time.
    mutating func stop(_ experiment: Fault?, at moment: Moment) {
        for index in runs.indices
        where experiment == nil || runs[index].scorecard.experiment.name == experiment?.name {
            runs[index].isStopped = true
        }
        judge(at: moment)
    }

    /// Fills in the scorecards after an input, or lets the next tick do so if that was often enough.
    mutating func evaluateDueRuns(at moment: Moment) {
        guard !runs.isEmpty, pace.allows(at: moment.now) else { return }
        judge(at: moment)
    }

    /// Fills in the scorecards again, and reports those that have changed.
    private mutating func judge(at moment: Moment) {
        guard !runs.isEmpty else { return }
        for index in runs.indices {
            let before = runs[index].scorecard
            runs[index].judge(traffic, bugs(of: before), at: moment.now)
            let scorecard = runs[index].scorecard
            guard scorecard != before else { continue }
            if let place = scorecards.firstIndex(where: { $0.number == scorecard.number }) {
                scorecards[place] = scorecard
            }
            emit(scorecard, of: runs[index].family, at: moment)
        }
        runs.removeAll(where: \.scorecard.isOver)
    }

    /// The bugs that are certain, and that an experiment has brought about.
    private func bugs(of scorecard: Scorecard) -> [ObservedFinding] {
        // That a lost answer costs the session is up to the backend.
        let isLoss = scorecard.experiment.effect == .loseAnswer
        return book.all.filter {
            !(isLoss && $0.rule == FindingRule.lostAnswer.name)
                && $0.experiment == scorecard.experiment.description && $0.severity == .bug
                && $0.confidence == .certain && $0.lastAt.now >= scorecard.startedAt.now
        }
    }

    /// The experiment that changed one of the exchanges that prove a finding, or under which they
    /// happened in a session that it changed.
    mutating func experiment(behind draft: FindingDraft, at moment: Moment) -> String? {
        let exchanges = draft.evidence.compactMap { item in
            if case .exchange(let number) = item.subject { traffic.exchange(number) } else { nil }
        }
        if let direct = exchanges.lazy.compactMap(\.experiment).first { return direct }
        if !runs.isEmpty, pace.next != nil { judge(at: moment) }
        return runs.first { run in exchanges.contains { run.includes($0) } }?
            .scorecard.experiment.description
    }

    // MARK: - Tests

    mutating func recordMark(_ name: String, at moment: Moment) {
        mark = name.isEmpty ? nil : name
        setMark(test: mark, at: moment)
    }

    /// Takes in the name of a test, by which the reports have a case for it.
    mutating func setMark(test mark: String?, at moment: Moment) {
        guard let mark, !marks.contains(mark) else { return }
        guard marks.count < Self.markLimit else { return omit(.tests, 1, at: moment) }
        marks.append(mark)
    }

    /// The test to which the newest exchange that proves a finding belongs.
    func mark(of draft: FindingDraft) -> String? {
        let exchanges = draft.evidence.compactMap { item in
            if case .exchange(let number) = item.subject { traffic.exchange(number) } else { nil }
        }
        return exchanges.last?.mark ?? mark
    }

    /// Forgets what was found and shown so far; what is known of the sessions stays.
    mutating func forgetResults() {
        book.forget()
        runs = []
        scorecards = []
        marks = []
        mark = nil
    }
}
