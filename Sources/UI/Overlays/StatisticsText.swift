import Basics
import Model

/// The costs of the session, and the failures that it survived, so far.
struct StatisticsText {
    let statistics: SessionStatistics
    let viewModel: ViewModel

    var document: Document {
        var document = Document(title: "Statistics")
        guard let startedAt = statistics.startedAt else {
            document.add(Line("no session yet: there is nothing to count", .dim))
            return document
        }
        document.add("session", session(since: startedAt))
        addRenewals(to: &document)
        addRequests(to: &document)
        document.add(
            "backend",
            ReachabilityText.line(viewModel.session.reachability, clock: viewModel.clock)
        )
        document.add("feed", feed)
        if statistics.feed.drops > 0 {
            document.add(
                "",
                StatisticsFormatter.times("closed on us", statistics.feed.drops, .warning)
            )
        }
        document.add(Line())
        for text in StatisticsFormatter.legend { document.add(text.name, text.meaning, .dim) }
        return document
    }

    private func session(since startedAt: Moment) -> Line {
        let now = viewModel.clock.shown.now
        let since = viewModel.clock.when(startedAt)
        guard let endedAt = statistics.endedAt else {
            let life = DurationFormatter.counting(statistics.age(at: now))
            return "no. \(statistics.login) since \(since) · \(life, .strong)"
        }
        let life = DurationFormatter.long(statistics.age(at: now))
        let end = viewModel.clock.when(endedAt)
        return "no. \(statistics.login) from \(since) to \(end) · \(life, .strong)"
    }

    private func addRenewals(to document: inout Document) {
        let renewals = statistics.renewals
        let renewed = Line(CountFormatter.times(renewals.succeeded), .strong)
        let failed = renewals.failed > 0 ? Line("\(renewals.failed) failed", .warning) : Line()
        document.add("renewed", [renewed, failed].joined(by: StatisticsFormatter.dot))
        let causes = RefreshCause.allCases.map { cause in
            StatisticsFormatter.times(CauseText().text(cause), renewals.byCause[cause] ?? 0)
        }
        document.add("started by", StatisticsFormatter.list(causes))
        let failures = RefreshFailure.Class.allCases.map { kind in
            let count = statistics.failures[kind] ?? 0
            return StatisticsFormatter.times(FailureText.kind(kind), count, .warning)
        }
        document.add("failures", StatisticsFormatter.list(failures))
        document.add("lead left", lead)
        document.add("no token", timeWithoutToken)
    }

    private var lead: Line {
        guard let least = statistics.remainingLead.least,
            let median = statistics.remainingLead.median
        else {
            return Line("nothing renewed yet", .dim)
        }
        let style: Style = least > 0 ? .strong : .warning
        let text = StatisticsFormatter.lead
        return "least \(text(least), style) · median \(text(median), .strong)"
    }

    /// It counts on the screen while it lasts.
    private var timeWithoutToken: Line {
        let now = viewModel.clock.exact.now
        let seconds = statistics.timeWithoutToken.seconds(at: now)
        let count = statistics.timeWithoutToken.count(at: now)
        guard count > 0 else { return Line("at no time", .strong) }
        let times = count == 1 ? "once" : CountFormatter.times(count)
        let text =
            seconds < 60 ? DurationFormatter.fine(seconds) : DurationFormatter.counting(seconds)
        return "\(text, .warning) in all · \(times)"
    }

    private func addRequests(to document: inout Document) {
        let requests = statistics.requests
        let classes = (1...5).map { digit in
            StatisticsFormatter.times("\(digit)xx", requests.byStatusClass[digit] ?? 0)
        }
        let sent = Line("\(CountFormatter.grouped(requests.sent)) sent", .strong)
        document.add("requests", ([sent] + classes).joined(by: StatisticsFormatter.dot))
        let problems = [
            StatisticsFormatter.times("answered 401", requests.unauthorized, .warning),
            StatisticsFormatter.times("not sent", requests.notSent, .warning),
            StatisticsFormatter.times(MissingAnswerText.lost, requests.unanswered, .warning),
        ]
        let line = problems.joined(by: StatisticsFormatter.dot)
        if !line.isEmpty { document.add("", line) }
    }

    private var feed: Line {
        let feed = statistics.feed
        return [
            Line(CountFormatter.count(feed.messages, "message")),
            Line(CountFormatter.count(feed.switches, "switch", plural: "switches")),
            Line("\(CountFormatter.grouped(feed.lost)) lost", feed.lost > 0 ? .bad : .plain),
            Line(CountFormatter.count(feed.duplicates, "duplicate")),
        ].joined(by: StatisticsFormatter.dot)
    }
}
